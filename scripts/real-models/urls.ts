/** What `real-models up` prints. */
export interface ModelUrls {
  /** Address of Ollama, as the setting `ollama_host` takes it. */
  ollama_host: string
  /** Address of the server of llama.cpp, as the setting `openai_base_url` takes it. */
  openai_base_url: string
}
