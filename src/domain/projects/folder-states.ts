/** States of a project's folder (SE11). In a file of its own, because the page loads it too. */

/** `elsewhere`: not on the server's machine, but other machines that run agents may have it. */
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
