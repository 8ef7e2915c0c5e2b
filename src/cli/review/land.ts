/** `holdfast land`: brings the work of a conversation into a branch, by the plan that it shows. */
import { visible, visibleLines } from '../../platform/log/visible.ts'
import type { Landing, LandingPlan } from '../../protocol/review/landing.ts'
import { command, operand, option } from '../command.ts'

const conversation = operand.required('its key, as `holdfast conversations` shows it')
const ways = ['merge', 'rebase', 'squash', 'push', 'pull-request'] as const
/** The check of the project may take ten minutes. */
const timeoutMs = 900_000
const path = '/api/conversations/{key}/land'

export const landCommand = command({
  summary: 'Bring the work of a conversation into a branch',
  operands: { conversation },
  options: {
    how: option.choice('<how>', ways, 'merge when left out'),
    into: option.text('<branch>', 'the branch it began at when left out'),
    message: option.text('<text>', 'of the commit; its title and prompts when left out'),
    dryRun: option.flag('show the plan and do nothing'),
    undo: option.flag('undo the last landing'),
  },
  examples: [
    ['land web:shop.coder --dry-run', 'what would be done, and what is in the way'],
    ['land web:shop.coder --how squash --message "Wait for Retry-After"', 'as one commit'],
    ['land web:shop.coder --undo', 'while nothing has come after it'],
  ],
  async run(context, given) {
    const params = { key: given.conversation }
    if (given.undo) {
      const undone = await context.client.post(`${path}/undo`, { params, timeoutMs })
      return context.finished(undone, `${visible(undone.into ?? '')} is as it was before`)
    }
    const how = given.how ?? 'merge'
    const query = { how, into: given.into }
    const plan = await context.client.get(path, { params, query, timeoutMs })
    if (given.dryRun) return context.answer(plan, () => visibleLines(planInWords(plan)))
    const landed = await context.client.post(path, {
      params,
      body: { how, into: given.into, message: given.message, plan: plan.plan },
      timeoutMs,
    })
    context.finished(landed, landedInWords(landed))
  },
})

function planInWords(plan: LandingPlan): string {
  const steps = plan.steps.map((step, at) => `${at + 1}. ${stepInWords(step)}`)
  const blocks = plan.blocks.map((code) => {
    const about = plan.about[code]
    return `In the way: ${code}${about ? ` (${about})` : ''}`
  })
  const command = plan.blocks.length > 0 && plan.command ? [`By hand: ${plan.command}`] : []
  return [...steps, ...plan.notes.map((note) => `Note: ${note}`), ...blocks, ...command].join('\n')
}

function stepInWords(step: LandingPlan['steps'][number]): string {
  switch (step.do) {
    case 'commit':
      return `commit ${step.files} files as ${step.author}: ${step.message.split('\n', 1)[0]}`
    case 'check':
      return `run ${step.command.at(-1)}`
    case 'move': {
      const place = step.checkout === null ? '' : ` in ${step.checkout}`
      return `move ${step.branch} by ${step.by} to ${step.to.slice(0, 10)}${place}`
    }
    case 'push':
      return `push ${step.remoteBranch} to ${step.address}`
    case 'pull-request':
      return `open a pull request of ${step.head} into ${step.base} of ${step.repository}`
  }
}

function landedInWords({ into, commit, steps }: Landing): string {
  const pull = steps.find((step) => step.do === 'pull-request')?.result as
    | { readonly url?: string }
    | null
    | undefined
  if (pull?.url) return `The pull request is ${visible(pull.url)}`
  const isPushed = steps.some((step) => step.do === 'push')
  return isPushed ? 'The branch is pushed' : `${visible(into ?? '')} is at ${commit?.slice(0, 10)}`
}
