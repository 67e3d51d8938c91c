/** Keys of known providers by their prefixes, private keys in PEM, and values that are said to be a key. */

import type { Found, PieceView, RuleKind } from "./recognizer.ts"
import { ANY_SIGN, matchesIn } from "./recognizer.ts"
import { isPlaceholder, looksRandom } from "./secret-value.ts"

/** Published token formats, one alternative each; what may stand before and behind is checked once for all. */
const PROVIDER_FORMATS = [
  "(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|ANVA|AIPA)[A-Z0-9]{16}", // AWS access key id
  "gh[pousr]_[A-Za-z0-9]{36,255}", // GitHub
  "github_pat_[A-Za-z0-9_]{22,255}",
  "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|rtr)-[A-Za-z0-9_.-]{20,300}", // GitLab
  "xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,250}", // Slack
  "xapp-\\d-[A-Z0-9]+-\\d+-[a-z0-9]+",
  "https://hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,120}",
  "AIza[A-Za-z0-9_-]{35}", // Google
  "GOCSPX-[A-Za-z0-9_-]{28}",
  "ya29\\.[A-Za-z0-9_-]{20,500}",
  "[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,247}", // Stripe
  "whsec_[A-Za-z0-9+/=]{24,80}",
  "sk-ant-[A-Za-z0-9_-]{20,200}", // Anthropic
  "sk-(?:proj-|svcacct-|admin-|None-|or-v1-)?[A-Za-z0-9_-]{20,250}", // OpenAI and those that follow its form
  "hf_[A-Za-z0-9]{30,60}", // Hugging Face
  "gsk_[A-Za-z0-9]{40,60}", // Groq
  "r8_[A-Za-z0-9]{30,50}", // Replicate
  "xai-[A-Za-z0-9]{40,100}",
  "npm_[A-Za-z0-9]{36}",
  "pypi-[A-Za-z0-9_-]{50,300}",
  "rubygems_[a-f0-9]{48}",
  "dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,60}",
  "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{30,64}", // SendGrid
  "key-[a-f0-9]{32}", // Mailgun
  "[a-f0-9]{32}-us\\d{1,2}", // Mailchimp
  "(?:AC|SK)[a-f0-9]{32}", // Twilio
  "sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}", // Square
  "EAAA[A-Za-z0-9_-]{60}",
  "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", // Shopify
  "do[opr]_v1_[a-f0-9]{64}", // DigitalOcean
  "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}", // Linear
  "(?:ntn|secret)_[A-Za-z0-9]{40,50}", // Notion
  "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}", // Airtable
  "figd_[A-Za-z0-9_-]{38,46}",
  "PMAK-[a-f0-9]{24}-[a-f0-9]{34}", // Postman
  "NRAK-[A-Z0-9]{27}", // New Relic
  "glc_[A-Za-z0-9+/=]{32,400}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|eyJrIjoi[A-Za-z0-9+/=]{60,}", // Grafana
  "hv[sbr]\\.[A-Za-z0-9_-]{24,300}", // Vault
  "AGE-SECRET-KEY-1[A-Z0-9]{58}",
  "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", // 1Password
  "sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60}", // Supabase
  "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,64}",
  "dapi[a-f0-9]{32}(?:-\\d)?", // Databricks
  "dop_v1_[a-f0-9]{64}",
  "tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]+",
  "\\d{8,10}:AA[A-Za-z0-9_-]{33}", // Telegram
  "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}", // Discord
  "vc[pairk]_[A-Za-z0-9]{20,60}", // Vercel
  "cf(?:k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}|v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}", // Cloudflare
  "ops_ey[A-Za-z0-9+/=]{100,1400}", // 1Password service accounts
  "nfp_[A-Za-z0-9]{36}", // Netlify
  "ATATT3[A-Za-z0-9_=-]{60,250}", // Atlassian
  "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{1,40}\\.)?[A-Za-z0-9]{40,44}", // Doppler
  "pul-[0-9a-f]{40}", // Pulumi
  "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{60,70}", // Terraform Cloud
  "c[ps]k_[A-Za-z0-9_-]{24,100}", // Carrel
]
const PROVIDER = new RegExp(`(?<![A-Za-z0-9])(?:${PROVIDER_FORMATS.join("|")})(?![A-Za-z0-9])`, "g")
const PEM = /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\S]*/g

const KEY_NAMES =
  /(?:api[ _-]?keys?|apikey|access[ _-]?keys?(?:[ _-]?id)?|secret[ _-]?(?:access[ _-]?)?keys?|client[ _-]?secrets?|account[ _-]?keys?|private[ _-]?keys?|encryption[ _-]?keys?|signing[ _-]?(?:key|secret)s?|auth[ _-]?keys?|subscription[ _-]?keys?|license[ _-]?keys?|app[ _-]?secrets?|webhook[ _-]?secrets?|secret)["'`\]]{0,2}(?:\s{0,3}(?:=>|:=|[:=])|\s{1,3}is:?)\s{0,3}["'`]?$/i
const VALUE = /[A-Za-z0-9_./+=~:-]{8,512}/g

export const apiKey: RuleKind = {
  category: "credentials",
  label: "API key",
  precedence: 1,
  foundBy: "rules",
  needs: ANY_SIGN,
  find: findApiKeys,
}

function findApiKeys(view: PieceView): Found[] {
  const found: Found[] = []
  for (const match of matchesIn(view, PROVIDER)) found.push(spanOf(match, 0.99))
  for (const match of matchesIn(view, PEM)) found.push(spanOf(match, 1))
  for (const match of matchesIn(view, VALUE)) {
    if (isPlaceholder(match[0]) || !looksRandom(match[0])) continue
    const value = valueAfterName(view, match, KEY_NAMES)
    if (value) found.push({ ...value, score: 0.85 })
  }
  return found
}

/** `name=value` may stand in one word: the value is what follows the name, wherever the word began. */
export function valueAfterName(
  view: PieceView,
  match: RegExpExecArray,
  names: RegExp,
): Omit<Found, "score"> | undefined {
  const end = match.index + match[0].replace(/[.:=]+$/, "").length
  if (names.test(view.text.slice(Math.max(0, match.index - 60), match.index))) return { start: match.index, end }
  const inner = /^[A-Za-z0-9_.-]{2,60}?[:=]+(?=[^:=])/.exec(match[0])
  if (!inner) return undefined
  const start = match.index + inner[0].length
  return names.test(view.text.slice(Math.max(0, start - 60), start)) && end > start ? { start, end } : undefined
}

const spanOf = (match: RegExpExecArray, score: number): Found => ({
  start: match.index,
  end: match.index + match[0].length,
  score,
})
