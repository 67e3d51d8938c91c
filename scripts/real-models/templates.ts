/** How Ollama spells a conversation for SmolLM2: ChatML, as the model was trained on. The weights' file carries no template. */

/** Where the model has ended its turn. */
export const STOP = ["<|im_start|>", "<|im_end|>"]

export const CHAT_TEMPLATE = `{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`

/**
 * With tools: it is what makes the server say that the model can call them, and read the calls out of its answer. A call is
 * bare JSON, so that a grammar can have this small model make one.
 */
export const TOOLS_TEMPLATE = `{{- if or .System .Tools }}<|im_start|>system
{{- if .System }}
{{ .System }}
{{- end }}
{{- if .Tools }}
You have access to the following tools:
<tools>{{ json .Tools }}</tools>
To call one, answer with {"name": "the tool", "arguments": {"argument": "value"}} and nothing else.
{{- end }}<|im_end|>
{{ end }}
{{- range .Messages }}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ .Content }}
{{- range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}{{ end }}<|im_end|>
{{ else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- end }}<|im_start|>assistant
`
