declare module "*.svg" {
  /** Address of the file. */
  const address: string
  export default address
}
