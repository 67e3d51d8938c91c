/** Holds conversations and starts agent runs with a slow model, and knows what of it the daemon has acknowledged. */
import { expect } from "bun:test"
import type { Reached } from "../support/daemon.ts"
import { readEvents } from "../support/events.ts"
import { LLAMA, type OllamaStandIn } from "../support/ollama.ts"
import type { Chance } from "./chance.ts"

/** What the slow model writes: about a second, so that most kills come in the middle. */
const SLOW = Array.from({ length: 50 }, (_, i) => `word${i}`).join(" ")
const QUICK = "All is well."

interface Talk {
  /** Of messages that were acknowledged, in order. */
  said: string[]
  /** Sent, never acknowledged. */
  perhaps: Set<string>
  /** Reply id → what it had said when it was acknowledged as complete; undefined where the kill came before. */
  replies: Map<string, string | undefined>
}

type Message = { id: string; role: string; content: string; finish_reason: string | null }

export class TalkStorm {
  private readonly talks = new Map<string, Talk>()
  /** Run id → its acknowledged end; undefined for one that was accepted and not yet done. */
  private readonly runs = new Map<string, { status: string; output: string } | undefined>()
  private serial = 0

  constructor(
    private readonly daemon: Reached,
    private readonly chance: Chance,
    { server }: OllamaStandIn,
  ) {
    server.scenes.add("slow", { text: SLOW, delayMs: 20 })
    server.scenes.add("quick", { text: QUICK })
  }

  /** Ends what goes on, each after what it is about. */
  over = false

  /** One conversation after the other, a few turns each, until the daemon is gone, or it is over. */
  async converse(): Promise<void> {
    try {
      while (!this.over) {
        const id = await this.say(undefined)
        for (let turns = this.chance(3); turns > 0; turns--) await this.say(id)
      }
    } catch {
      // killed
    }
  }

  async runAgents(): Promise<void> {
    try {
      while (!this.over) {
        const blocking = this.chance(2) === 0
        const run = await this.daemon.call("POST", "/agents/run", this.task(blocking ? "quick" : "slow"), {
          ...(blocking ? {} : { prefer: "respond-async" }),
        })
        this.runs.set(run.run_id, blocking ? run : undefined)
        await Bun.sleep(this.chance(300))
      }
    } catch {
      // killed
    }
  }

  private task = (scene: string) => ({ task: `case-${scene} task ${this.serial++}`, model: LLAMA.name, tools: [] })

  /** Streams one turn; keeps account event by event. */
  private async say(conversationId: string | undefined): Promise<string> {
    const message = `case-slow message ${this.serial++}`
    if (conversationId) this.talks.get(conversationId)!.perhaps.add(message)
    const response = await fetch(
      `${this.daemon.url}/external/conversations${conversationId ? `/${conversationId}` : ""}`,
      {
        method: "POST",
        headers: { ...this.daemon.credentials, "content-type": "application/json" },
        body: JSON.stringify({ message, model: LLAMA.name, use_library: this.chance(2) === 0 }),
      },
    )
    if (!response.ok) throw new Error(`a turn was answered ${response.status}: ${await response.text()}`)
    let id = conversationId
    await readEvents(response, ({ event, data }) => {
      if (event === "conversation_created") {
        id = data.conversation_id as string
        this.talks.set(id, { said: [], perhaps: new Set([message]), replies: new Map() })
      }
      const talk = id ? this.talks.get(id)! : undefined
      if (event === "message_started") {
        talk!.perhaps.delete(message)
        talk!.said.push(message)
        talk!.replies.set(data.message_id, undefined)
      }
      if (event === "message_completed") talk!.replies.set(data.message_id, data.content)
      return false
    })
    return id!
  }

  async verify(): Promise<void> {
    await Promise.all([...this.talks].map(([id, talk]) => this.verifyTalk(id, talk)))
    for (const [id, answer] of this.runs) {
      const run = await this.daemon.call("GET", `/agents/runs/${id}`)
      if (answer) expect([answer, run]).toMatchObject(Array(2).fill({ status: "completed", output: QUICK }))
      else if (run.status === "completed") expect(run.output).toBe(SLOW)
      else expect([run.status, run.error?.code]).toEqual(["failed", "interrupted"])
    }
    const { pagination } = await this.daemon.call("GET", "/agents/runs?status=running")
    expect(pagination.total_items).toBe(0)
    this.runs.clear() // what is settled once was looked at
  }

  private async verifyTalk(id: string, talk: Talk): Promise<void> {
    const { messages }: { messages: Message[] } = await this.daemon.call("GET", `/conversations/${id}`)
    const said = messages.filter(({ role }) => role === "user").map(({ content }) => content)
    const doubted = said.filter(content => talk.perhaps.has(content))
    expect(said.filter(content => !talk.perhaps.has(content))).toEqual(talk.said)
    expect(doubted.length).toBe(new Set(doubted).size)
    const replies = messages.filter(({ role }) => role === "assistant")
    for (const [replyId, content] of talk.replies) {
      const reply = replies.find(each => each.id === replyId)
      if (content === undefined) expect(SLOW).toStartWith(reply!.content)
      else expect([reply?.content, reply?.finish_reason]).toEqual([content, "stop"])
    }
    for (const { content, finish_reason } of replies)
      expect(content === SLOW ? ["stop", "error"] : ["error"]).toContain(finish_reason!)
    await this.goesOn(id)
    this.talks.delete(id)
  }

  /** Nothing is stuck busy: a cut reply can be completed in place, and a further message is answered. */
  private async goesOn(id: string): Promise<void> {
    const finished = await this.daemon.call("POST", "/continue", { conversation_id: id, model: LLAMA.name })
    for (const { role, finish_reason } of finished.messages)
      if (role === "assistant") expect(finish_reason).toBe("stop")
    const answer = await this.daemon.call("POST", "/send", { conversation_id: id, message: "case-quick Still there?" })
    expect(answer.messages[1]).toMatchObject({ content: QUICK, finish_reason: "stop" })
  }
}
