/** What an ACP agent of this machine is given. */

import type { OwnProgram } from '../../platform/processes/program-of.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import type { AcpParticulars } from '../../protocol/turns/link.ts'
import type { FileStates } from '../file-states/file-states.ts'
import type { NewFact } from '../spool.ts'
import type { PrepareWorkspaceOptions } from '../worktrees/prepare-workspace.ts'

export interface AcpAgentOptions
  extends Pick<
    PrepareWorkspaceOptions,
    'git' | 'worktreesFolder' | 'occupancy' | 'env' | 'folderId'
  > {
  readonly particulars: LaunchParticulars
  readonly acp: AcpParticulars
  readonly serverUrl: string
  readonly program: OwnProgram
  readonly version: string
  readonly fileStates: FileStates
  readonly clock: Clock
  readonly report: (fact: NewFact) => void
  readonly stop: () => void
}
