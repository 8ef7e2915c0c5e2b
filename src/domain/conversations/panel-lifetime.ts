/**
 * How long a chat panel counts as open (CH5): as long as it is seen, and a minute more. One that has no name cannot be seen, so it is
 * open until the chat is ended; one whose page goes away may be back at once, because that is what a reload looks like.
 */
import { type Instant, later } from '../instant.ts'

/** Of all that did not say which panel they are. */
export const unnamedPanel = ''

const unseenAtMostMs = 60_000
/** A page that has just gone has this long to come back. */
const leavingMs = 10_000

const forEver: Instant = '9999-12-31T23:59:59.999Z'

export const seenAtOpening = (now: Instant, panelId: string): Instant => (panelId === unnamedPanel ? forEver : now)

/** When it counts as last seen, so that its time is up in a moment. */
export const seenAtLeaving = (now: Instant): Instant => later(now, leavingMs - unseenAtMostMs)

/** What was seen last at this moment or before counts as closed. */
export const closedUntil = (now: Instant): Instant => later(now, -unseenAtMostMs)
