/** The likeliest of some labels, and its share of the softmax. */
export function likeliest(logits: Float32Array): { index: number; score: number } {
  let index = 0
  for (let i = 1; i < logits.length; i++) if (logits[i]! > logits[index]!) index = i
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - logits[index]!)
  return { index, score: 1 / sum }
}
