/** The folder an agent works in: what lies in it is named from there, as the agent itself would. */
import { createContext, useContext } from 'react'

/** The folder the agent works in; undefined outside of a role. */
export const Workplace = createContext<string | undefined>(undefined)

export function useShortPath(): (path: string) => string {
  const folder = useContext(Workplace)
  return (path) =>
    folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}
