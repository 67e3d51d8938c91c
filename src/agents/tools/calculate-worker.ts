/** Evaluates expressions off the main thread: loading mathjs alone blocks for a while, and a loop can be terminated here. */
import { ExpressionProblem, evaluate } from "./expression.ts"

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<{ id: number; expression: string }>) => {
  try {
    self.postMessage({ id: data.id, value: evaluate(data.expression) })
  } catch (error) {
    self.postMessage({
      id: data.id,
      problem: error instanceof ExpressionProblem ? error.message : "The expression cannot be calculated.",
    })
  }
}
