/** Bounds of what is read from agents' own files, and of what is kept of it. */

/** A longer line is passed over while it is read, so that it is never in memory as a whole. */
export const maxLineBytes = 16 * 1024 * 1024
export const chunkBytes = 1024 * 1024
/** What is read of a file's beginning and end for a list, and what it grows to without a prompt. */
export const endBytes = 64 * 1024
export const maxHeadBytes = 1024 * 1024
/** Files that are looked at together. */
export const filesAtOnce = 8
/** A file that is kept as a tree has at most so many records. */
export const maxRecords = 500_000
export const maxTurns = 20_000
/** A turn takes at least so many bytes in each of the formats. */
export const leastTurnBytes = 200
export const maxForkDepth = 20
/** Characters of one prompt, and of the texts of one answer. */
export const maxMessageChars = 500_000
/** Characters kept of one tool call's output, and of all calls of a turn. */
export const maxKeptOutput = 1024 * 1024
export const maxTurnOutput = 2 * 1024 * 1024
export const maxUpdates = 4_000
export const maxMediaPerTurn = 20
export const maxTitleChars = 200
export const copyTries = 3
