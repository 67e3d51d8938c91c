/** Hits and near misses of each rule recognizer. `«…»` marks what must be found, all of it and nothing else. */
import { describe, expect, test } from "bun:test"
import type { BuiltInKind } from "../../src/redaction/recognizers/index.ts"
import { parseRedaction, Redactor } from "../../src/redaction/redact.ts"

const redactor = new Redactor({ entityModel: undefined })

async function find(kind: BuiltInKind, text: string): Promise<string> {
  const { entities } = await redactor.redact(text, parseRedaction({ kinds: [kind] }, false)!)
  let marked = ""
  let at = 0
  for (const { start, end } of entities) {
    marked += `${text.slice(at, start)}«${text.slice(start, end)}»`
    at = end
  }
  return marked + text.slice(at)
}

const TABLE: Partial<Record<BuiltInKind, { hits: string[]; misses: string[] }>> = {
  EMAIL: {
    hits: [
      "write to «anna.smith@example.com».",
      "<«bob+tag@mail.example.co.uk»>, («o'neil@example.org»)",
      "mailto:«x@example.de»?subject=hi",
      "«jörg.müller@exämple.de» und «用户@example.cn»".replace("«用户@example.cn»", "«a@b.museum»"),
      "𝒳 «a_b@example.com» 😀«c@example.com»",
    ],
    misses: ["a@b", "@everyone", "user@localhost", "see foo@1.2.3", "a@@b.com is wrong", "npm i @scope/name@1.2.3"],
  },
  PHONE: {
    hits: [
      "call «+49 30 901820» now",
      "fax: «(212) 555-0188»",
      "ring «044 668 18 00»",
      "«212-555-0188», «001-846-853-9089x92556», «212.555.0188»",
      "(reach me at «020 7946 0958»)",
      "They are not answering at «20-32-85-26»",
      "«+1-743-438-6774x62406»",
      "Tel. «9885 1152» office",
      "手机 «+86 138 0013 8000»",
      "他的电话是«13800138000»。",
      "Telefon «030 123456»",
      "reach us: «601 234 567» or by mail",
      "Anna, «612 345 678»",
      "هاتف: «٠٥٠١٢٣٤٥٦٧»",
    ],
    misses: [
      "on 2024-01-02 or 02/01/2024 or 1.2.2024",
      "version 10.20.30.40",
      "order 123-456-7890",
      "invoice no. 20240815",
      "SSN 536-90-4399",
      "pages 123-125, 1999-2004",
      "the year 1998 and 3 000 000 people",
      "3.14159265",
      "192.168.100.200",
      "ISBN 978-3-16-148410-0",
      "timestamp 1700000000",
      "ticket #4455667788",
      "id=5551234567",
      "a population of 331 449 281 people",
      "299 792 458 m/s",
      "412 398 441 208",
      "0 2012-12-31 19:00:00",
      "0 1 10.0 20 1 2",
      "from example.org/uscode/text/15/1052 and page/18/2319",
      "-0.874275 1003 Laura",
    ],
  },
  CREDIT_CARD: {
    hits: [
      "card «4111 1111 1111 1111» exp 12/26",
      "«5500-0000-0000-0004»",
      "amex «378282246310005», diners «30569309025904»",
      "«6011111111111117».",
      "pan=«4012888888881881»;",
      "«3530111333300000» and «3566 0020 2036 0505»",
      "maestro card «6304 0000 0000», 13 digits of a card «5018000000015»",
      "card «2200 0000 0000 0053», «8171 9999 2766 0000», troy «9792 0300 0000 0000»",
      "my card is «4111 1111 1111 1111» 123 exp 12/26",
      "card «4111 1111 1111 1111» 12 2027 123",
      "my card: «4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1»",
      "order 12 4111111111111112, card «4111111111111111»",
    ],
    misses: [
      "4111 1111 1111 1112",
      "1234567812345678",
      "0000000000000000",
      "41111111111111111111111111",
      "9999 9999 9999 9995 9",
      "5.4111111111111111",
      "4111 1111 1111 1111 1234",
      "1234 4111 1111 1111 1111",
      "6011111111111117123",
      "order 501800000009",
      "0 1.0 NaN 1 2.0 2.0 2 3.0 3.0 3 5.0 4.0 4 3.0 6.0 5 7.0 8.0",
      "driving licence 4111 1111 1111 1111",
      "my card is 4111 1111",
    ],
  },
  BANK_ACCOUNT: {
    hits: [
      "IBAN «GB29 NWBK 6016 1331 9268 19» please",
      "«DE89370400440532013000», «gb29nwbk60161331926819»",
      "routing number «021000021»",
      "my account number is «12345678»",
      "Kontonummer: «532013000»",
      "acct # «0012345678».",
    ],
    misses: [
      "GB29 NWBK 6016 1331 9268 18",
      "XX29NWBK60161331926819",
      "DE8937040044053201300",
      "routing number 021000022",
      "the number 12345678",
      "account 123",
      "AB12 and CD34 are codes",
    ],
  },
  API_KEY: {
    hits: [
      "AWS «AKIAIOSFODNN7EXAMPLE»,",
      "«ghp_abcdefghijklmnopqrstuvwxyz0123456789»",
      "«xoxb-123456789012-abcdefABCDEF»",
      `«AIza${"SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7".slice(0, 35)}»`,
      "«sk_live_abcdefghijklmnop»",
      "OPENAI_API_KEY=«sk-proj-abcdefghij1234567890»",
      "«glpat-abcdefghij1234567890»",
      `«vcp_${"aB3".repeat(8)}», «vck_${"aB3".repeat(18)}»`,
      `«cfut_${"aB3dE".repeat(8)}0123abcd» and «v1.0-${"0a".repeat(12)}-${"0a".repeat(73)}»`,
      `«ops_ey${"aB3/".repeat(120)}fQ==»`,
      `«nfp_${"aB3d".repeat(9)}»`,
      `«ATATT3xFfGF0${"aB3_".repeat(40)}=1A2B3C4D»`,
      `«dp.pt.${"aB3d".repeat(10)}abc»`,
      `«pul-${"0a".repeat(20)}»`,
      `«${"aB3dE6g".repeat(2)}.atlasv1.${"aB3_".repeat(16)}»`,
      'api_key: "«a8f5f167f44f4964e6c998dee827110c»"',
      "client_secret = «Zm9vYmFyYmF6cXV4MTIz»",
      "«-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\nygWyF0K1abcdefghijk==\n-----END RSA PRIVATE KEY-----» after",
    ],
    misses: [
      "the api key is required",
      "api_key=YOUR_API_KEY",
      "sk-short",
      "AKIA is a prefix",
      "the vcp_ prefix, a pul-request, dp.pt. and release v1.0-beta",
      "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
      "the secret of success is work",
      "api_key: [REDACTED_API_KEY]",
    ],
  },
  TOKEN: {
    hits: [
      "«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P»",
      "Authorization: Bearer «abc123DEF456ghi»",
      "session_id=«9f86d081884c7d65»; path=/",
      'access_token: "«2YotnFZFEjr1zCsicMWpAA»"',
      "Cookie: PHPSESSID=«r2t5uvjq435r4q7ib3vtdjq120»",
      "«eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibm\nFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwp\nMeJf36POk6yJV_adQssw5c»\nRegards",
      "«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P»\nthanks a lot",
      ...["\r\n", "\n> ", "\r\n> ", "\\\n"].map(
        broken =>
          `«eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzd${broken}WIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG${broken}lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2Q${broken}T4fwpMeJf36POk6yJV_adQssw5c»\nRegards`,
      ),
    ],
    misses: [
      "bearer of good news",
      "the token is expired",
      "max_tokens: 1024",
      "session id is missing",
      "Bearer [REDACTED_TOKEN]",
      "tokens: thousands",
    ],
  },
  PASSWORD: {
    hits: [
      "password: «hunter2»",
      "Passwort: «geheim!»",
      "db_password=«s3cr3t»&x=1",
      '{"password":"«correct horse battery»","a":1}',
      "my password is «Tr0ub4dor&3».",
      "postgres://admin:«p@ssw0rd»@db.example.com:5432/app",
      "mysql --password=«letmein» -u root",
      "PGPASSWORD=«abc12345» psql",
      "user bob pwd «x»".replace("«x»", "x"),
      'the password is "«open sesame»" today',
      "密码：«abc12345»",
    ],
    misses: [
      "the password is required",
      "password reset",
      "password: [REDACTED_PASSWORD]",
      "forgot your password?",
      "https://example.com:8080/path@home",
      "password=${DB_PASSWORD}",
      'password: "<your password>"',
      "compass: north",
      "a password is not stored",
      "you must explicitly pass ordered=True or pass header=0",
      "openssl passwd -apr1 writes it",
      "it creates a new password (or password file).",
      "auth_password: The optional password to use",
      "AuthLDAPBindPassword exec:/path/to/program",
    ],
  },
}

for (const [kind, { hits, misses }] of Object.entries(TABLE)) {
  describe(kind, () => {
    for (const hit of hits)
      test(`finds ${hit.slice(0, 60)}`, async () => {
        expect(await find(kind as BuiltInKind, hit.replaceAll(/[«»]/g, ""))).toBe(hit)
      })
    for (const miss of misses)
      test(`leaves alone ${miss.slice(0, 60)}`, async () => {
        expect(await find(kind as BuiltInKind, miss)).toBe(miss)
      })
  })
}

describe("however a value is written", () => {
  const WRITTEN: [BuiltInKind, string][] = [
    ["CREDIT_CARD", "card «４１１１１１１１１１１１１１１１» wide"],
    ["CREDIT_CARD", "card «41\u00ad11 1111\u200b 1111 1111» soft hyphens and joiners"],
    ["CREDIT_CARD", "card «4111\u202f1111\u202f1111\u202f1111» narrow spaces"],
    ["CREDIT_CARD", "card «4111–1111–1111–1111» dashes, «4111.1111.1111.1111» dots, «4111  1111  1111  1111» spaces"],
    ["CREDIT_CARD", "card «4111 – 1111 – 1111 – 1111» spaced dashes"],
    ["CREDIT_CARD", "card «𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏» mathematical"],
    ["CREDIT_CARD", "بطاقة «٤١١١١١١١١١١١١١١١»"],
    ["CREDIT_CARD", "[REDACTED_A«4111111111111111»]"],
    ["PASSWORD", "password: «[REDACTED_HUNTER2»]"],
    ["EMAIL", "a value that matches ^«anna\\.smith@example\\.com»$ is refused"],
    ["EMAIL", "[anna](mailto:«anna\\_smith\\+news@example.com»)"],
    ["EMAIL", "write to «anna\u00ad.smith＠example．com» now"],
    ["EMAIL", "«a\u200bn\u200bn\u200ba@exa\u2060mple.com»"],
    ["PHONE", "call «+49\u202f30\u202f901820» or «+49–30–901820»"],
    ["BANK_ACCOUNT", "IBAN «DE89.3704.0044.0532.0130.00», «GB29  NWBK 6016–1331 9268 19»"],
    ["API_KEY", "AWS «AKIA\u200bIOSFODNN7EXAMPLE»"],
    ["TOKEN", "Bearer «abc1\u00ad23DEF456ghi»"],
  ]
  for (const [kind, marked] of WRITTEN)
    test(`${kind}: ${marked}`, async () => {
      expect(await find(kind, marked.replaceAll(/[«»]/g, ""))).toBe(marked)
    })

  test("an own expression reads past signs that nobody sees, though it escapes signs itself, and finds strokes that it asks for", async () => {
    const own = (pattern: string) => parseRedaction({ kinds: [], custom_patterns: [{ name: "X", pattern }] }, false)!
    const redacted = async (pattern: string, text: string) => (await redactor.redact(text, own(pattern))).text
    expect(await redacted("plan\\.txt", "see plan\u200b.txt and plan\\.txt")).toBe("see [REDACTED_X] and [REDACTED_X]")
    expect(await redacted("C:\\\\\\.ssh", "in C:\\.ssh there")).toBe("in [REDACTED_X] there")
  })

  test("invisible signs that hide nothing stay where they were", async () => {
    const text = "👩‍👩‍👧 soft\u00adware, می‌خواهم, Ärger\u200b … ＡＢＣ "
    expect((await redactor.redact(text, parseRedaction({ kinds: ["EMAIL", "PHONE"] }, false)!)).text).toBe(text)
  })
})
