import { render } from "preact"
import { App } from "./app.tsx"
import { speakAsChosen } from "./text.ts"
import { applyTheme } from "./theme.ts"

applyTheme()
await speakAsChosen()
render(<App />, document.getElementById("console")!)
