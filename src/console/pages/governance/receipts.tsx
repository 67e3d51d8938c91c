/** Governance → Receipts: signed proofs of what was deleted. */

import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { api, downloadUrl, query } from "../../api.ts"
import { ago, dateTime } from "../../format.ts"
import { useLoaded, useSettled } from "../../loading.ts"
import { go, pageIn, usePlace } from "../../router.tsx"
import { rich, type Text, t } from "../../text.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Problem, TextField } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Empty, Pages } from "../../ui/page.tsx"
import type { Page, Receipt } from "../../wire.ts"

const TYPING_MS = 300

const WORDS: Record<string, Text> = {
  file: "A file",
  version: "A former version of a file",
  conversation: "A conversation",
  run: "A run",
  response: "A response",
  batch_file: "A file of a batch",
  end_user: "An end user",
  workspace: "A workspace",
  bulk: "Several files",
  retention: "By a rule of retention",
}

const whatWord = (what: string): string => (Object.hasOwn(WORDS, what) ? t(WORDS[what]!) : what.replaceAll("_", " "))

export function ReceiptsPart() {
  const [shown, setShown] = useState<Receipt | null>(null)
  const { query: address } = usePlace()
  const resource = address.get("resource") ?? ""
  const page = pageIn(address)
  const parameters = query({ page, resource: useSettled(resource.trim(), TYPING_MS) })
  const receipts = useLoaded(parameters, signal => api.get<Page<Receipt>>(`/receipts${parameters}`, signal))
  const list = receipts.data?.data ?? []
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>{t("Receipts")}</h2>
          <p class="soft">
            {t(
              "Each says what was deleted and from which stores, signed. One is written when nothing is left, some seconds after the deletion or more.",
            )}
          </p>
        </div>
        <a class="button" href={downloadUrl("/receipts/key")} download="carrel-receipts-key.json">
          <Icon name="key" /> {t("Public key")}
        </a>
      </div>
      <search class="stack narrow" aria-label={t("Filter the receipts")}>
        <TextField
          label={t("Id of what was deleted, or an end user")}
          type="search"
          value={resource}
          onInput={next => go(`/governance/receipts${query({ resource: next })}`, true)}
        />
      </search>
      <Problem error={receipts.error} />
      {receipts.data && list.length === 0 && (
        <Empty icon="check" title={resource ? t("No receipt of it") : t("No receipts yet")} />
      )}
      <ul class="list">
        {list.map(receipt => (
          <Item key={receipt.id} receipt={receipt} onShow={() => setShown(receipt)} />
        ))}
      </ul>
      {receipts.data && (
        <Pages
          of={receipts.data.pagination}
          onPage={next => go(`/governance/receipts${query({ resource, page: next })}`, true)}
        />
      )}
      {shown && <ReceiptView receipt={shown} onClose={() => setShown(null)} />}
    </section>
  )
}

const Item = ({ receipt, onShow }: { receipt: Receipt; onShow: () => void }) => (
  <li class="row between">
    <div class="grow">
      <button type="button" class="file-name" onClick={onShow}>
        {whatWord(receipt.what)}
      </button>
      <code class="soft small block entry-key">
        {receipt.ids.length === 1
          ? receipt.ids[0]
          : t("{ids, plural, one {# id} other {# ids}}", { ids: receipt.ids.length })}
      </code>
    </div>
    <span class="soft small" title={dateTime(receipt.at)}>
      {ago(receipt.at)}
    </span>
  </li>
)

function ReceiptView({ receipt, onClose }: { receipt: Receipt; onClose: () => void }) {
  const { id, what, ids, sha256s, removed_from: stores, at, backups_until: backups, signature } = receipt
  return (
    <Dialog
      title={whatWord(what)}
      shape="side"
      onClose={onClose}
      actions={
        <a class="button" href={downloadUrl(`/receipts/${id}`)} download={`${id}.json`}>
          <Icon name="download" /> {t("Download")}
        </a>
      }
    >
      <div class="stack">
        <dl class="facts">
          <Fact name={t("Receipt")}>
            <code>{id}</code>
          </Fact>
          <Fact name={t("Gone since")}>{dateTime(at)}</Fact>
          <Fact name={t("Gone from")}>{stores.map(store => store.replaceAll("_", " ")).join(", ")}</Fact>
          <Fact name={t("Backups")}>
            {backups
              ? t("may hold it until {backups}", { backups: dateTime(backups) })
              : t("nobody has said how long they are kept")}
          </Fact>
          <Fact name={t("Signature")}>
            <code>{signature}</code>
          </Fact>
        </dl>
        <Values title={t("Ids")} values={ids} />
        <Values title={t("SHA-256 of the bytes")} values={sha256s} />
        <p class="soft small">
          {rich("Checked with <code/>, elsewhere with <code2/> and the public key.", {
            code: <code>carrel verify-receipt {id}.json</code>,
            code2: <code>--key</code>,
          })}
        </p>
      </div>
    </Dialog>
  )
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

const Values = ({ title, values }: { title: string; values: readonly string[] }) =>
  values.length === 0 ? null : (
    <section>
      <h3>
        {title} <span class="soft">({values.length})</span>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre class="code wrap" tabIndex={0}>
        {values.join("\n")}
      </pre>
    </section>
  )
