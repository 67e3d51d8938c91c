/** What the settings say of sign-in by a provider. */
import type { SignInSettings } from "./access/oidc/settings.ts"
import { type Config, ConfigError, flagOf, type SettingName } from "./config.ts"
import { secretIn } from "./config-engines.ts"

const NEEDED = ["oidc_issuer", "oidc_client_id", "oidc_client_secret_file"] as const
const FURTHER = ["oidc_only", "oidc_admin_group", "oidc_workspace_claim"] as const

/**
 * Undefined where nobody signs in by a provider.
 * @throws ConfigError naming what is missing where only some is given, or a file that cannot be used
 */
export function signInOf(config: Config): SignInSettings | undefined {
  const given = [...NEEDED, ...FURTHER].filter(name => config[name] !== "" && config[name] !== false)
  if (given.length === 0) return undefined
  const missing = NEEDED.filter(name => config[name] === "")
  if (missing.length > 0)
    throw new ConfigError(
      `${listed(given)} ${given.length === 1 ? "needs" : "need"} ${listed(missing)} as well: sign-in by a provider takes all three of ${listed(NEEDED)}`,
    )
  return {
    issuer: config.oidc_issuer,
    clientId: config.oidc_client_id,
    clientSecret: secretIn(config.oidc_client_secret_file, "--oidc-client-secret-file"),
    only: config.oidc_only,
    adminGroup: config.oidc_admin_group || null,
    workspaceClaim: config.oidc_workspace_claim || null,
  }
}

const listed = (names: readonly SettingName[]): string =>
  new Intl.ListFormat("en", { type: "conjunction" }).format(names.map(flagOf))
