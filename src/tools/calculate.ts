import type { Tool } from "./tool.ts"

export const calculate: Tool<{ expression: string }> = {
  name: "calculate",
  title: "Calculate",
  description:
    "Calculates an arithmetic expression with exact decimals, such as (1234.50 - 99) * 1.19 or round(mean([3, 4.5, 7]), 2). Operators + - * / % ^ !, comparisons, and functions such as round, sqrt, sum, mean, median, min, max, log, sin.",
  parameters: {
    type: "object",
    properties: {
      expression: { type: "string", minLength: 1, maxLength: 2000, description: "The expression, numbers only" },
    },
    required: ["expression"],
    additionalProperties: false,
  },
  execute: ({ expression }, { evaluator, view, signal }) => evaluator.calculate(expression, view.workspaceId, signal),
}
