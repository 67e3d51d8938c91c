/**
 * Evaluates arithmetic with exact decimals. The parser is mathjs; what it has parsed is walked before anything runs,
 * and only numbers, lists, operators and the functions of the table below pass: no assignment, no property, no import.
 */
import { all, create, type MathNode } from "mathjs"

/** What the writer of the expression can act on. */
export class ExpressionProblem extends Error {}

const MAX_EXPRESSION_CHARACTERS = 2_000
/** Digits carried while calculating; the shown result has fewer, so that rounding does not show. */
const PRECISION = 128
const SHOWN_DIGITS = 34
/** Integers are shown whole up to this many digits. */
const MAX_INTEGER_DIGITS = 120
/** Decimal exponents beyond this overflow to Infinity: remainders of larger numbers would take forever. */
const MAX_EXPONENT = 5_000
/** Above it the product has more digits than are carried. */
const MAX_FACTORIAL = 1_000

const FUNCTIONS = new Set(
  "abs acos asin atan atan2 cbrt ceil combinations cos exp factorial fix floor gcd lcm log log10 log2 max mean median min mod permutations pow round sign sin sqrt std sum tan variance".split(
    " ",
  ),
)
const CONSTANTS = new Set(["pi", "e", "tau", "true", "false"])
const OPERATORS = new Set(
  "add subtract multiply divide mod pow unaryMinus unaryPlus factorial smaller larger smallerEq largerEq equal unequal".split(
    " ",
  ),
)
const PLAIN_NODES = new Set(["ParenthesisNode", "ArrayNode"])

const math = create(all!, { number: "BigNumber", precision: PRECISION, matrix: "Array" })

/** decimal.js as mathjs carries it; mathjs's own types leave the constructor out. */
interface Decimal {
  readonly e: number
  abs(): Decimal
  exp(): Decimal
  times(factor: number): Decimal
  greaterThan(other: number): boolean
  lessThan(other: number): boolean
  isFinite(): boolean
  isInteger(): boolean
  isNaN(): boolean
  precision(includeZeros: boolean): number
  toFixed(): string
  toSignificantDigits(digits: number): Decimal
  toString(): string
}
const { BigNumber: Decimal } = math as unknown as {
  BigNumber: { new (value: number): Decimal; set(options: object): void; acos(value: number): Decimal }
}
Decimal.set({ maxE: MAX_EXPONENT, minE: -MAX_EXPONENT })
const PI = Decimal.acos(-1)

/** @throws ExpressionProblem in words for the model */
export function evaluate(text: string): string {
  if (text.length > MAX_EXPRESSION_CHARACTERS)
    throw new ExpressionProblem(`An expression has at most ${MAX_EXPRESSION_CHARACTERS} characters.`)
  const node = parsed(text)
  node.traverse(check)
  try {
    return show(node.compile().evaluate({ pi: PI, tau: PI.times(2), e: new Decimal(1).exp() }))
  } catch (error) {
    if (error instanceof ExpressionProblem) throw error
    throw new ExpressionProblem(`The expression cannot be calculated: ${(error as Error).message}`)
  }
}

function parsed(text: string): MathNode {
  const plain = text.trim().replaceAll("×", "*").replaceAll("÷", "/").replaceAll("−", "-").replaceAll("**", "^")
  // In "1,000 + 2" the comma groups; a list or call never has exactly three digits after a digit and a bare comma.
  if (/(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])/.test(plain) && !/[([]/.test(plain))
    return parsed(plain.replaceAll(",", ""))
  try {
    return math.parse(plain) as MathNode
  } catch (error) {
    throw new ExpressionProblem(`The expression cannot be read: ${(error as Error).message}`)
  }
}

interface Inner {
  type: string
  name?: string
  fn?: string | { name?: string }
  args?: { type: string; value?: unknown }[]
}

function check(node: MathNode, path: string): void {
  const { type, name, fn } = node as unknown as Inner
  if (PLAIN_NODES.has(type)) return
  if (type === "ConstantNode") {
    if (typeof (node as unknown as { value: unknown }).value === "string")
      throw new ExpressionProblem("Text is not allowed in an expression.")
    return
  }
  if (type === "SymbolNode" && (CONSTANTS.has(name!) || (path === "fn" && FUNCTIONS.has(name!)))) return
  if (type === "OperatorNode" && OPERATORS.has(fn as string)) return
  if (type === "FunctionNode" && FUNCTIONS.has((fn as { name?: string }).name ?? "")) return
  const what =
    type === "SymbolNode"
      ? `the name ${name}`
      : type === "FunctionNode"
        ? `the function ${(fn as { name?: string }).name}`
        : type === "OperatorNode"
          ? `the operator ${String(fn)}`
          : type.replace(/Node$/, "")
  throw new ExpressionProblem(
    `${what} is not allowed; there are + - * / % ^ ! ( ) and the functions ${[...FUNCTIONS].join(", ")}.`,
  )
}

/** Factorial-like functions take time in proportion to their argument. */
const bounded =
  (original: (...values: unknown[]) => unknown) =>
  (...values: unknown[]) => {
    for (const value of values)
      if (Number(value) > MAX_FACTORIAL)
        throw new ExpressionProblem(
          `The argument of a factorial, combination or permutation is at most ${MAX_FACTORIAL}.`,
        )
    return original(...values)
  }
/** Remainders need every digit of their arguments, and only so many are carried. */
const exact =
  (original: (...values: unknown[]) => unknown) =>
  (...values: unknown[]) => {
    for (const value of values)
      if (value instanceof Decimal && value.e >= MAX_INTEGER_DIGITS)
        throw new ExpressionProblem(`A remainder or divisor needs numbers of at most ${MAX_INTEGER_DIGITS} digits.`)
    return original(...values)
  }
/** The library takes the remainder of a division by zero for the number itself. */
const undefinedByZero =
  (original: (...values: unknown[]) => unknown) =>
  (...values: unknown[]) => {
    if ([values[1]].flat(Number.POSITIVE_INFINITY).some(divisor => Number(divisor) === 0))
      throw new ExpressionProblem("The result is not finite: a remainder of a division by zero.")
    return original(...values)
  }
const originals = math as unknown as Record<string, (...values: unknown[]) => unknown>
const limited = (names: string[], limit: typeof bounded) =>
  Object.fromEntries(names.map(name => [name, limit(originals[name]!)]))
math.import(
  {
    ...limited(["factorial", "combinations", "permutations"], bounded),
    ...limited(["gcd", "lcm"], exact),
    mod: undefinedByZero(exact(originals.mod!)),
  },
  { override: true },
)

function show(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`
  if (typeof value === "boolean" || typeof value === "number") return String(value)
  if (!(value instanceof Decimal)) throw new ExpressionProblem("The result is not a number.")
  const number: Decimal = value
  if (number.isNaN()) throw new ExpressionProblem("The result is not a number.")
  if (!number.isFinite())
    throw new ExpressionProblem("The result is not finite: a division by zero, or a number that is too large.")
  if (number.isInteger() && number.precision(true) <= MAX_INTEGER_DIGITS) return number.toFixed()
  if (number.e < -MAX_INTEGER_DIGITS) return "0" // what rounding leaves of sin(pi)
  const rounded = number.toSignificantDigits(SHOWN_DIGITS)
  return rounded.abs().greaterThan(1e-7) && rounded.abs().lessThan(1e34) ? rounded.toFixed() : rounded.toString()
}
