// transformers.js imports sharp for image pipelines, which Carrel does not use. The export must be truthy for its loader.
module.exports = () => {
  throw new Error("image pipelines are not part of this build")
}
