/** A failure in words that the model may read. Anything else a tool throws is reported without its message. */
export class ToolError extends Error {}
