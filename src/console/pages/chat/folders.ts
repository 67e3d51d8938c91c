import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"

/** Names of the folders that hold a conversation; none until they are read. @param turn changes when they are read again */
export const useFolders = (turn: number | string = ""): readonly string[] =>
  useLoaded(`folders ${turn}`, signal => api.get<{ data: string[] }>("/conversation-folders", signal)).data?.data ?? []
