/** Whether an OpenSearch can be used, and whether it answers, found out without writing anything. */
import { type OpenSearchAddress, OpenSearchClient } from "./client.ts"
import { Indexes } from "./indexes.ts"

/**
 * @param cluster undefined for one that is yet to be made
 * @param place whether it may have no index yet
 * @throws OperatorError for another engine, one that is too old or lacks k-NN, wrong credentials, and a prefix of another
 *   cluster · EngineError while it does not answer
 */
export const checkOpenSearch = (
  address: OpenSearchAddress,
  cluster: string | undefined,
  place: { mayBeNew: boolean },
): Promise<void> => new Indexes({ client: new OpenSearchClient(address), cluster: cluster ?? "" }).look(place)

/** Makes the first index of a new cluster, so that nodes know its place from another. @throws as `checkOpenSearch` */
export const prepareOpenSearch = (address: OpenSearchAddress, cluster: string): Promise<void> =>
  new Indexes({ client: new OpenSearchClient(address), cluster }).prepare()

/** @throws EngineError where it does not answer */
export async function askOpenSearch(address: OpenSearchAddress, signal: AbortSignal): Promise<void> {
  await new OpenSearchClient(address).ask("GET", "", { signal })
}
