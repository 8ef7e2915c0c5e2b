/** The resume context as text, for ACP agents, which have no tool to read it with (RS2). Pure. */
import { decisionsPrompt } from '../approvals/decision-for-agent.ts'
import type { RememberedTask, ResumeContext, ToldApproach } from './resume-context.ts'

export function resumePrompt(context: ResumeContext): string {
  const { previousState, currentPhase, currentTask, leftOut } = context
  const parts = [
    'This work was begun before and interrupted. Take it up where it stopped; what was done is in this folder.',
    previousState && `How it stood: ${previousState}`,
    currentPhase !== null && `Phase: ${currentPhase}`,
    currentTask && `It was at: ${taskLine(currentTask)}`,
    decisionsPrompt(context.decisions),
    list(
      'Failed before. Do not try again what is marked avoid:',
      context.failedApproaches.map(failedLine),
      leftOut.failedApproaches,
    ),
    list('Known to work:', context.verifiedApproaches.map(approachLine), leftOut.verifiedApproaches),
    list('To be tried next:', context.nextApproaches.map(approachLine), leftOut.nextApproaches),
    list('Left to do:', context.remainingTasks.map(taskLine), leftOut.remainingTasks),
  ]
  return parts.filter(Boolean).join('\n\n')
}

const list = (title: string, lines: readonly string[], more: boolean): string =>
  lines.length === 0 ? '' : [title, ...lines.map((line) => `- ${line}`), ...(more ? ['- … and more'] : [])].join('\n')

const taskLine = ({ taskId, name, status, progressPercent, blockedBy }: RememberedTask): string => {
  const state = blockedBy ? `${status} by ${blockedBy}` : status === 'in_progress' ? `${progressPercent} % done` : status
  return `${taskId}: ${name} (${state})`
}

const approachLine = ({ id, description = '', learnings = [] }: ToldApproach): string =>
  [`${id}: ${description}`.trim(), ...learnings].join(' · ')

const failedLine = (approach: ToldApproach): string => {
  const { failureReason, error, avoid } = approach
  return [approachLine(approach), failureReason, error, avoid && 'avoid'].filter(Boolean).join(' · ')
}
