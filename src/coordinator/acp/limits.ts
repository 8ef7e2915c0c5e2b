/** Size and time limits for the communication with an agent (AC3). */

/**
 * Length of a message. Longer lines are discarded while they arrive, so they are never in memory as
 * a whole.
 */
export const maxLineBytes = 8 * 1024 * 1024
/** Read limit per agent and window, so that a flooding agent does not starve the others. */
export const readWindowMs = 100
export const maxReadPerWindow = 4 * 1024 * 1024
export const maxReadChunk = 8 * 1024
/** Cost of a line in addition to its bytes. */
export const lineCost = 1024
/** Bytes of noise without a message in between, after which the agent is ended. */
export const maxNoiseBytes = 128 * 1024 * 1024
/**
 * Agent requests without a delivered answer, after which reading pauses. Higher than the number of
 * open questions.
 */
export const maxUnansweredRequests = 64
/** Length of a sample of discarded input, for troubleshooting. */
export const maxSample = 200
/** Characters of text and thoughts in a turn. The rest is counted but dropped. */
export const maxTurnText = 8 * 1024 * 1024
export const maxToolCalls = 500
/**
 * Characters kept of the output of one tool call, and of all calls of a turn; of more, the
 * beginning and the end.
 */
export const maxKeptOutput = 1024 * 1024
export const maxTurnOutput = 16 * 1024 * 1024
export const maxCompactions = 100
/** Sub-agents of a turn that are told apart. */
export const maxStrands = 100
/** Sessions of a process that are remembered after they were let go. */
export const maxLeftSessions = 1000
/** Permission requests open at once; further ones are refused. */
export const maxOpenQuestions = 32

/** Interval of batches of streamed updates. The first leaves at once. */
export const batchMs = 50
export const maxWaitingUpdates = 64

/** Limits of single steps. The whole start has a limit of its own (AG2). */
export const initializeMs = 60_000
export const openMs = 60_000
/** An agent that waits for a person in its `authenticate` is given up. */
export const signInMs = 30_000
export const loadMs = 120_000
export const listMs = 5_000
/** Closing and deleting what nobody needs. */
export const leaveMs = 5_000
export const minuteMs = 60_000
export const settingMs = 30_000
/** A request that changes nothing. */
export const probeMs = 5_000
/** After a load, silence of this length ends the replay. */
export const settleMs = 250
export const maxSettleMs = 5_000
/** A load after which nothing comes for so long has replayed nothing. */
export const maxReplayBeginsMs = 1_000
/** A tool call comes with the question about it, or so long after. */
export const callComesMs = 200
/** Observed: 4 to 90 ms. */
export const cancelMs = 10_000
export const turnMs = 24 * 3600_000

export const maxErrorChars = 4000
export const finalOutputMs = 200
/** Wait for the state of the files after the process has exited (FS7). */
export const finalFilesMs = 60_000
export const exitMs = 1000
/** A process that was killed is known to be gone within this time. */
export const seenGoneMs = 300
