/** The S3 client as Carrel uses it: nothing of it looks anywhere but at its settings, and every server understands it. */
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3"

export type Sdk = typeof import("@aws-sdk/client-s3")

/** @param settings credentials and the handler of requests among them: without, it would look for its own */
export const clientOf = (
  sdk: Sdk,
  settings: S3ClientConfig & Required<Pick<S3ClientConfig, "region" | "credentials" | "requestHandler">>,
): S3Client =>
  new sdk.S3Client({
    // Others than Amazon know no newer checksums. The signature covers the SHA-256 of what is sent.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...OWN_SETTINGS,
    ...settings,
  })

/** What the client would look for in the environment and in files of Amazon's tools: settings are Carrel's own. */
const OWN_SETTINGS = {
  retryMode: "standard",
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  useArnRegion: false,
  disableS3ExpressSessionAuth: true,
  disableMultiregionAccessPoints: true,
  defaultsMode: "standard",
  userAgentAppId: "carrel",
  authSchemePreference: ["aws.auth#sigv4"],
} satisfies S3ClientConfig
