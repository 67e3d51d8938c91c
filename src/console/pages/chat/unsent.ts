/** What is typed and not sent, by the conversation that it is for. It lasts as long as the page, and no longer than the sign-in. */

export interface Unsent {
  text: string
  pictures: readonly File[]
}

const NOTHING: Unsent = { text: "", pictures: [] }

const kept = new Map<string, Unsent>()

/** A new conversation, of which each workspace has one, is told apart by its workspace. */
const keyOf = (workspaceId: string, conversationId: string | undefined): string => conversationId ?? workspaceId

export const unsentIn = (workspaceId: string, conversationId: string | undefined): Unsent =>
  kept.get(keyOf(workspaceId, conversationId)) ?? NOTHING

export function keepUnsent(workspaceId: string, conversationId: string | undefined, unsent: Unsent): void {
  kept.set(keyOf(workspaceId, conversationId), unsent)
}

/** The new conversation has a name: what was typed into it meanwhile goes with it. */
export function nameUnsent(workspaceId: string, conversationId: string): void {
  kept.set(conversationId, unsentIn(workspaceId, undefined))
  kept.delete(workspaceId)
}

/** Nobody who signs in next reads it. */
export const forgetUnsent = (): void => kept.clear()
