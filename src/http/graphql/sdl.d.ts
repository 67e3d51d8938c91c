/** A schema as text: `import … with { type: "text" }`. */
declare module "*.graphql" {
  const text: string
  export default text
}
