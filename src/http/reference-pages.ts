/** The reference page that shows the OpenAPI document; all of it comes from the daemon itself. */
import swaggerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" }
import swaggerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" }

const DOCS_PATH = "/external-docs/docs"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carrel API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${DOCS_PATH}/assets/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="${DOCS_PATH}/assets/swagger-ui-bundle.js"></script>
<script src="${DOCS_PATH}/assets/start.js"></script>
</body>
</html>
`

const START = `window.ui = SwaggerUIBundle({
  url: "${DOCS_PATH}/json", dom_id: "#reference", deepLinking: true, validatorUrl: null,
  persistAuthorization: false, tryItOutEnabled: true, defaultModelsExpandDepth: 0, docExpansion: "list",
});
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
        return asset(START, "text/javascript; charset=utf-8")
      default:
        return undefined
    }
  }
}
