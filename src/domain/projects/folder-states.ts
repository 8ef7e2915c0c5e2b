/** What can be found at the path of a project (SE11). Apart from folder.ts, because the page loads it too. */

/** `elsewhere`: not on the server's machine, but other machines run agents too, and may have it. */
export const folderStates = [
  'found',
  'missing',
  'elsewhere',
  'not_a_folder',
  'system',
  'in_data',
  'above_data',
  'outside_roots',
] as const
export type FolderState = (typeof folderStates)[number]
