/** How people sign in by a provider (OpenID Connect). */
export interface SignInSettings {
  /** The address that the provider calls itself by. */
  issuer: string
  clientId: string
  clientSecret: string
  /** Members have no passwords. */
  only: boolean
  /** Whose members are administrators; null: roles are managed here. */
  adminGroup: string | null
  /** The claim that names a user's workspace; null: workspaces are managed here. */
  workspaceClaim: string | null
}

/** What people are shown. */
export const providerName = ({ issuer }: Pick<SignInSettings, "issuer">): string => new URL(issuer).host
