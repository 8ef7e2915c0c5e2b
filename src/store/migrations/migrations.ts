/** Every migration, in order. Forward only; a released one is never changed. */
import { spine } from './0001-spine.ts'
import { agentsThatPull } from './0002-agents-that-pull.ts'
import { processTables } from './0003-processes.ts'
import { userSessions } from './0004-user-sessions.ts'
import { continuity } from './0005-continuity.ts'
import { acpChats } from './0006-acp-chats.ts'
import { allowances } from './0007-allowances.ts'
import { conversationFiles } from './0008-conversation-files.ts'
import { leases } from './0009-leases.ts'
import { search } from './0010-search.ts'
import { chapters } from './0011-chapters.ts'
import { channelTables } from './0012-channels.ts'
import { placement } from './0013-placement.ts'
import { worktreeTables } from './0014-worktrees.ts'
import { limits } from './0015-limits.ts'
import { chatLimits } from './0016-chat-limits.ts'
import { oldOutput } from './0017-old-output.ts'
import { importedDecisions } from './0018-imported-decisions.ts'
import { plans } from './0019-plans.ts'
import { sealedValues } from './0020-sealed-values.ts'
import { fullCheckpoints } from './0021-full-checkpoints.ts'
import { turns } from './0022-turns.ts'
import { limitsOfContexts } from './0023-limits-of-contexts.ts'
import { sleepingRoles } from './0024-sleeping-roles.ts'
import { agentNames } from './0025-agent-names.ts'
import { workplaces } from './0026-workplaces.ts'
import { notices } from './0027-notices.ts'
import { isolation } from './0028-isolation.ts'
import { moreNotices } from './0029-more-notices.ts'
import { seenConversations } from './0030-seen-conversations.ts'
import { secrets } from './0031-secrets.ts'
import { questions } from './0032-questions.ts'
import { agentCommands } from './0033-agent-commands.ts'
import { fileStates } from './0034-file-states.ts'
import { agentReports } from './0035-agent-reports.ts'
import { modelUsage } from './0036-model-usage.ts'
import { contextOffers } from './0037-context-offers.ts'
import { agentDialects } from './0038-agent-dialects.ts'
import { launchFolder } from './0039-launch-folder.ts'
import type { Migration } from './migration.ts'

export const migrations: readonly Migration[] = [
  spine,
  agentsThatPull,
  processTables,
  userSessions,
  continuity,
  acpChats,
  allowances,
  conversationFiles,
  leases,
  search,
  chapters,
  channelTables,
  placement,
  worktreeTables,
  limits,
  chatLimits,
  oldOutput,
  importedDecisions,
  plans,
  sealedValues,
  fullCheckpoints,
  turns,
  limitsOfContexts,
  sleepingRoles,
  agentNames,
  workplaces,
  notices,
  isolation,
  moreNotices,
  seenConversations,
  secrets,
  questions,
  agentCommands,
  fileStates,
  agentReports,
  modelUsage,
  contextOffers,
  agentDialects,
  launchFolder,
]

export const newestVersion = migrations.length
