/* Starts the reference page: search in all operations, credentials for as long as the tab is open, streams as they come. */
const KEPT = "carrel-reference-credentials"
const DOCS = "/external-docs/docs"

/** What is typed is looked for in path, name and description of each operation, all words in any order. */
const searching = () => ({
  fn: {
    opsFilter(sections, phrase) {
      const words = phrase.toLowerCase().split(/\s+/).filter(Boolean)
      const has = (section, entry) => {
        const operation = entry.get("operation")
        const texts = ["operationId", "summary", "description"].map(field => operation.get(field) ?? "")
        const text = [section, entry.get("method"), entry.get("path"), ...texts].join(" ").toLowerCase()
        return words.every(word => text.includes(word))
      }
      return sections
        .map((section, name) => section.update("operations", list => list.filter(entry => has(name, entry))))
        .filter(section => section.get("operations").size > 0)
    },
  },
})

/** In the tab's own storage, which ends with it and which no other tab reads. */
const keeping = () => {
  const saved = original => (payload, system) => {
    const result = original(payload)
    setTimeout(() => sessionStorage.setItem(KEPT, JSON.stringify(window.ui.authSelectors.authorized().toJS())))
    return result
  }
  return { statePlugins: { auth: { wrapActions: { authorize: saved, logout: saved } } } }
}

function giveBack() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}")
  if (Object.keys(kept).length > 0) window.ui.authActions.authorize(kept)
}

/** A panel that fills while the answer is still coming; the page itself shows an answer once it is whole. */
function panelFor(title, onStop) {
  document.getElementById("stream")?.remove()
  const panel = document.createElement("section")
  panel.id = "stream"
  panel.setAttribute("aria-label", "Stream")
  const head = document.createElement("header")
  const name = document.createElement("strong")
  name.textContent = title
  const state = document.createElement("span")
  state.setAttribute("role", "status")
  state.textContent = "Streaming"
  const stop = document.createElement("button")
  stop.type = "button"
  stop.textContent = "Stop"
  const text = document.createElement("pre")
  text.tabIndex = 0
  head.append(name, state, stop)
  panel.append(head, text)
  document.body.append(panel)
  let isOver = false
  stop.onclick = () => (isOver ? panel.remove() : onStop())
  return {
    add(piece) {
      const isAtEnd = text.scrollHeight - text.scrollTop - text.clientHeight < 40
      text.append(piece)
      if (isAtEnd) text.scrollTop = text.scrollHeight
    },
    end(how) {
      isOver = true
      state.textContent = how
      stop.textContent = "Close"
    },
  }
}

/** Fetches as the page would, and shows a stream of events piece by piece. Stopped, it is an answer that ended there. */
async function watchedFetch(address, init) {
  const response = await fetch(address, init)
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) return response
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let isStopped = false
  const panel = panelFor(`${init?.method ?? "GET"} ${new URL(response.url).pathname}`, () => {
    isStopped = true
    void reader.cancel()
  })
  const body = new ReadableStream({
    async start(controller) {
      try {
        for (;;) {
          const { value, done } = await reader.read()
          if (done) break
          panel.add(decoder.decode(value, { stream: true }))
          controller.enqueue(value)
        }
        panel.end(isStopped ? "Stopped" : "Ended")
        controller.close()
      } catch (error) {
        panel.end("Broken off")
        controller.error(error)
      }
    },
  })
  const { status, statusText, headers, url } = response
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: url })
}

/** The console's choice, else the system's. */
const chosen = localStorage.getItem("carrel-theme")
const dark = matchMedia("(prefers-color-scheme: dark)")
const paint = () =>
  document.documentElement.classList.toggle("dark-mode", chosen === "dark" || (chosen !== "light" && dark.matches))
dark.addEventListener("change", paint)
paint()

window.ui = SwaggerUIBundle({
  url: `${DOCS}/json`,
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  filter: true,
  plugins: [searching, keeping],
  persistAuthorization: false,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  onComplete: () => giveBack(),
  requestInterceptor: request => {
    if (!request.loadSpec) request.userFetch = watchedFetch
    return request
  },
})
