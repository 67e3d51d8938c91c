/** The reference page that shows the OpenAPI document; all of it comes from the daemon itself. */
import swaggerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" }
import swaggerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" }
import startScript from "./reference/start.js" with { type: "file" }

const DOCS_PATH = "/external-docs/docs"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carrel API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${DOCS_PATH}/assets/swagger-ui.css">
<link rel="stylesheet" href="${DOCS_PATH}/assets/reference.css">
<meta name="color-scheme" content="light dark">
</head>
<body>
<div id="reference"></div>
<script src="${DOCS_PATH}/assets/swagger-ui-bundle.js"></script>
<script src="${DOCS_PATH}/assets/start.js"></script>
</body>
</html>
`

/** Of the panel that shows a stream as it comes, and of what the library's dark colors leave too faint to read. */
const STYLE = `
body { margin: 0; }
#stream { position: fixed; inset: auto 0 0 0; z-index: 10; max-height: 45vh; display: flex; flex-direction: column;
  background: #fff; color: #1b1f22; border-top: 2px solid #0d6e67; font: 14px/1.5 system-ui, sans-serif; }
#stream header { display: flex; gap: 12px; align-items: center; padding: 8px 16px; }
#stream header strong { overflow-wrap: anywhere; }
#stream [role="status"] { margin-inline-start: auto; }
#stream button { font: inherit; padding: 4px 12px; }
#stream pre { margin: 0; padding: 8px 16px 16px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 12.5px/1.5 ui-monospace, monospace; }
html.dark-mode { color-scheme: dark; }
html.dark-mode, html.dark-mode body { background: #1c2022; }
html.dark-mode #stream { background: #181c1e; color: #e6e9ea; }
@media (max-width: 500px) { .swagger-ui .wrapper { padding: 0 8px; } .swagger-ui .opblock-summary-path { max-width: none; } }
`

const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"

/** Answers the reference page's paths; undefined for all others. `document` is called once, at the first use. */
export function referencePages(document: () => object): (path: string) => Response | undefined {
  let json: string | undefined
  const asset = (body: BodyInit, type: string) =>
    new Response(body, {
      headers: { "content-type": type, "cache-control": "public, max-age=3600", "content-security-policy": POLICY },
    })
  return path => {
    switch (path.replace(/\/$/, "")) {
      case DOCS_PATH:
        return asset(PAGE, "text/html; charset=utf-8")
      case `${DOCS_PATH}/json`:
        json ??= JSON.stringify(document())
        return new Response(json, { headers: { "content-type": "application/json; charset=utf-8" } })
      case `${DOCS_PATH}/assets/swagger-ui-bundle.js`:
        return asset(Bun.file(swaggerScript), "text/javascript; charset=utf-8")
      case `${DOCS_PATH}/assets/swagger-ui.css`:
        return asset(Bun.file(swaggerStyle), "text/css; charset=utf-8")
      case `${DOCS_PATH}/assets/start.js`:
        return asset(Bun.file(startScript), "text/javascript; charset=utf-8")
      case `${DOCS_PATH}/assets/reference.css`:
        return asset(STYLE, "text/css; charset=utf-8")
      default:
        return undefined
    }
  }
}
