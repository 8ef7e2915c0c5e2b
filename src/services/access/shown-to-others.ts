/**
 * What somebody else sees of what is one person's own (SE28): of a console's approval its title and
 * state, of its process that it is there and how it ended.
 */
import { isVisible, type Viewer } from '../../domain/access/visibility.ts'
import type { Allowance } from '../../protocol/approvals/allowance.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { Process, ProcessWithOutput } from '../../protocol/processes/process.ts'
import type { Reader } from '../../store/store.ts'
import { ownerOf, ownerOfLaunch } from './owners.ts'

export const approvalToOthers = (approval: Approval): Approval => ({
  ...approval,
  // A permission's or a question's is its title.
  instructionContent: approval.permission || approval.question ? approval.instructionContent : null,
  ['sessionId']: null,
  taskId: null,
  decidedBy: null,
  feedback: null,
  workerInstructions: [],
  artifacts: [],
  revisionHistory: [],
  held: null,
  imported: null,
  permission: null,
  question: null,
  ofOther: true,
})

export const processToOthers = <Shown extends Process>(process: Shown): Shown => ({
  ...process,
  detail: null,
  notice: null,
})

/** What it allows is a rule of the project; what was asked for is not shown. */
export const allowanceToOthers = (allowance: Allowance): Allowance => ({
  ...allowance,
  title: allowance.toolKind,
  folder: null,
  likeness: null,
})

export async function approvalFor(
  reader: Reader,
  viewer: Viewer,
  approval: Approval,
): Promise<Approval> {
  const isTheirs =
    viewer === null || isVisible(viewer, await ownerOf(reader, { of: 'approval', id: approval.id }))
  return isTheirs ? approval : approvalToOthers(approval)
}

export async function approvalsFor(
  reader: Reader,
  viewer: Viewer,
  approvals: readonly Approval[],
): Promise<Approval[]> {
  const shown: Approval[] = []
  for (const approval of approvals) shown.push(await approvalFor(reader, viewer, approval))
  return shown
}

export async function allowancesFor(
  reader: Reader,
  viewer: Viewer,
  allowances: readonly Allowance[],
): Promise<Allowance[]> {
  const shown: Allowance[] = []
  for (const allowance of allowances) {
    const isTheirs =
      viewer === null ||
      isVisible(viewer, await ownerOf(reader, { of: 'approval', id: allowance.approvalId }))
    shown.push(isTheirs ? allowance : allowanceToOthers(allowance))
  }
  return shown
}

export async function processFor<Shown extends Process>(
  reader: Reader,
  viewer: Viewer,
  process: Shown,
): Promise<Shown> {
  const isTheirs = viewer === null || isVisible(viewer, await ownerOfLaunch(reader, process))
  return isTheirs ? process : processToOthers(process)
}

export async function processWithOutputFor(
  reader: Reader,
  viewer: Viewer,
  process: ProcessWithOutput,
): Promise<ProcessWithOutput> {
  const isTheirs = viewer === null || isVisible(viewer, await ownerOfLaunch(reader, process))
  return isTheirs ? process : { ...processToOthers(process), output: '', unknown: [], tools: null }
}
