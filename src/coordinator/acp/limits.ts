/** The greatest sizes and the longest waits in a conversation with an agent (AC3). Whatever an agent does, none of them is passed. */

/** Of one message. Longer lines are thrown away as they come, so that they are never in memory as a whole. */
export const maxLineBytes = 8 * 1024 * 1024
/** What is read of one agent in a window, so that one that floods leaves the others their share. */
export const readWindowMs = 100
export const maxReadPerWindow = 4 * 1024 * 1024
export const maxReadChunk = 8 * 1024
/** What a line counts beside its bytes, since each takes time however short it is. */
export const lineCost = 1024
/** Noise without one message in between: then it is no agent. */
export const maxNoiseBytes = 128 * 1024 * 1024
/** Requests of the agent's whose answers it has not read; with so many nothing more is read of it. More than questions may be open. */
export const maxUnansweredRequests = 64
/** A sample of what was thrown away, for the person who looks for the reason. */
export const maxSample = 200
/** Text and thoughts of one turn, in characters; the rest is counted, not kept. */
export const maxTurnText = 8 * 1024 * 1024
/** Tool calls that are remembered in one turn, the newest ones. */
export const maxToolCalls = 500
/** Questions to a person that are open at once; further ones are refused. */
export const maxOpenQuestions = 32

/** Of streamed text the first piece leaves at once, then at most one in this time, or each full one. */
export const batchMs = 50
/** Updates that wait for the next piece. */
export const maxWaitingUpdates = 64

/** AG2 gives the whole start a minute; these end a step that is stuck, with its name. */
export const initializeMs = 60_000
export const openMs = 60_000
export const loadMs = 120_000
/** One agent damages its own record when it is asked to load it in the clock minute in which that was opened last. */
export const minuteMs = 60_000
export const settingMs = 30_000
/** After a load: silence for so long means that the replay is over. */
export const settleMs = 250
export const maxSettleMs = 5_000
/** Observed: 4 to 90 ms. */
export const cancelMs = 10_000
export const turnMs = 24 * 3600_000
