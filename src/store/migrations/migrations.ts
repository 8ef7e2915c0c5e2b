/**
 * Every migration, in order. Forward only; a released one is never changed. A new one is a file of
 * its own with the next number in its name, in plain SQL like 0043-passes.ts, at the end of this
 * list.
 */
import { versions1To11 } from './0001-to-0011.ts'
import { versions12To21 } from './0012-to-0021.ts'
import { turns } from './0022-turns.ts'
import { limitsOfContexts } from './0023-limits-of-contexts.ts'
import { versions24To42 } from './0024-to-0042.ts'
import { passes } from './0043-passes.ts'
import { completedTasks } from './0044-completed-tasks.ts'
import { whatAConversationIs } from './0045-what-a-conversation-is.ts'
import { heldDecisions } from './0046-held-decisions.ts'
import { lanes } from './0047-lanes.ts'
import { comments } from './0048-comments.ts'
import { peopleAndThreadsOfChannels } from './0049-people-and-threads-of-channels.ts'
import { marksOfPeople } from './0050-marks-of-people.ts'
import { outbox } from './0051-outbox.ts'
import { landings } from './0052-landings.ts'
import { givenFolders } from './0053-given-folders.ts'
import { drafts } from './0054-drafts.ts'
import { hosts } from './0055-hosts.ts'
import { importedSessions } from './0056-imported-sessions.ts'
import { pausedTurns } from './0057-paused-turns.ts'
import { movedMessages } from './0058-moved-messages.ts'
import { threadNames } from './0059-thread-names.ts'
import { answeredMessages } from './0060-answered-messages.ts'
import { continuedSessions } from './0061-continued-sessions.ts'
import { daysOfSessions } from './0062-days-of-sessions.ts'
import { placesOfPullingAgents } from './0063-places-of-pulling-agents.ts'
import { greetings } from './0064-greetings.ts'
import { messagesOfATurn } from './0065-messages-of-a-turn.ts'
import { numbered } from './migration.ts'

export const migrations = numbered([
  ...versions1To11,
  ...versions12To21,
  turns,
  limitsOfContexts,
  ...versions24To42,
  passes,
  completedTasks,
  whatAConversationIs,
  heldDecisions,
  lanes,
  comments,
  peopleAndThreadsOfChannels,
  marksOfPeople,
  outbox,
  landings,
  givenFolders,
  drafts,
  hosts,
  importedSessions,
  pausedTurns,
  movedMessages,
  threadNames,
  answeredMessages,
  continuedSessions,
  daysOfSessions,
  placesOfPullingAgents,
  greetings,
  messagesOfATurn,
])

export const newestVersion = migrations.length
