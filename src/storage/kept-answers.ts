/** Answers to questions that came with their own messages, beside the conversation that keeps them; `chat/kept-answer-store.ts` reads and writes them. */
export interface KeptAnswersTables {
  kept_answers: KeptAnswersTable
}

export interface KeptAnswersTable {
  id: string
  conversation_id: string
  /** The message that is or becomes the answer: how it ended stands there. */
  reply_id: string
  /** What it goes on from; that may be gone. */
  previous_id: string | null
  /** JSON array: messages of the conversation that came with it, the reply included. */
  message_ids: string
  /** JSON array: the turns that were asked with, without those before and without pictures. */
  turns: string
  /** JSON array: calls of the caller's tools that the model made; the newest state once the reply has ended. */
  calls: string
  /** JSON object: what its caller wants to be told again of the request. */
  echo: string
  created_at: string
}
