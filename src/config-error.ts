/** A setting whose value breaks its rule; the daemon does not start. */
export class ConfigError extends Error {
  override name = "ConfigError"
}
