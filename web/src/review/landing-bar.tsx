/**
 * The bar under a review: one button that names all it does, the message of its commit, and what
 * stands in the way. What is pressed is the plan that was shown, or nothing (LD1).
 */
import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { LandingPlan } from '../../../src/protocol/review/landing.ts'
import type { LandingWay } from '../../../src/protocol/review/landing-requests.ts'
import type { Worktree, WorktreeState } from '../../../src/protocol/worktrees/worktree.ts'
import { useDisplayName } from '../live/display-names.ts'
import { client, invalidate, queryClient, useMay } from '../live/queries.ts'
import { buttonClass, SubmitButton } from '../parts/button.tsx'
import { inputClass, TextField } from '../parts/field.tsx'
import { BackIcon } from '../parts/icons.tsx'
import { itemClass, MenuChoice, MenuPopup } from '../parts/menu.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { browserChoice, useChoice } from '../preferences/choice.ts'
import { useRequest } from '../turns/use-request.ts'
import { LandingConflict } from './landing-conflict.tsx'
import { PlanBlocks, PlanSteps } from './landing-plan.tsx'
import { landingPlanOf } from './landing-queries.ts'
import { Landings } from './landings.tsx'
import { useReviewWords } from './words.ts'

const ways = ['merge', 'squash', 'rebase', 'push', 'pull-request'] as const
const wayChoice = browserChoice<LandingWay>('landing-way', ways, 'merge')

const barClass =
  'flex max-h-[50dvh] min-w-0 shrink-0 flex-col gap-2 overflow-y-auto border-t border-line ' +
  'bg-rail px-4 py-2'

/** A line, which grows while one writes in it. */
const messageClass =
  `${inputClass} h-8 min-w-40 flex-1 resize-none overflow-hidden py-1 max-md:h-10 ` +
  'focus:field-sizing-content focus:h-auto focus:max-h-40 focus:overflow-auto max-md:basis-full'

interface LandingBarProps {
  readonly worktree: Worktree
  readonly state: WorktreeState
  readonly conversationKey: string
  /** Another one whenever the files or the session may have changed. */
  readonly stamp: string
  /** Says what came of something that is no landing. */
  readonly onSaid: (outcome: string) => void
  readonly onChanged: () => void
}

export function LandingBar({
  worktree,
  state,
  conversationKey: key,
  stamp,
  onSaid,
  onChanged,
}: LandingBarProps) {
  const { landing: words } = useReviewWords()
  const nameOf = useDisplayName()
  const mayWrite = useMay('write')
  const how = useChoice(wayChoice)
  const [branch, setBranch] = useState<string>()
  const [written, setWritten] = useState<string>()
  const [isOther, setOther] = useState(false)
  const { send, waiting, error } = useRequest()
  const into = branch ?? worktree.baseBranch ?? ''
  const query = landingPlanOf(key, stamp, { how, into: branch ?? '' })
  const isKnown = into !== '' || how === 'push'
  const {
    data: plan,
    error: unplanned,
    isFetching,
    refetch,
  } = useQuery({ ...query, enabled: isKnown })
  const message = written ?? plan?.message ?? ''
  const changed = async () => {
    await Promise.all([invalidate(['landings', key]), invalidate(['landing-plan', key])])
    onChanged()
  }
  const land = async () => {
    if (!plan) return
    const isLanded = await send(async () => {
      try {
        const body = { how, plan: plan.plan, ...(message.trim() !== '' && { message }) }
        const target = branch === undefined ? {} : { into: branch }
        await client.post('/api/conversations/{key}/land', {
          params: { key },
          body: { ...body, ...target },
        })
      } catch (failure) {
        const present = planIn(failure)
        if (present) queryClient.setQueryData(query.queryKey, present)
        throw failure
      }
    })
    if (isLanded) setWritten(undefined)
    await changed()
  }
  const commit = async () => {
    const isDone = await send(() =>
      client.post('/api/projects/{projectId}/worktrees/{worktreeId}/commit', {
        params: { projectId: worktree.projectId, worktreeId: worktree.id },
        body: message.trim() === '' ? {} : { message },
      }),
    )
    if (isDone) setWritten(undefined)
    await changed()
  }
  const isConflict = plan?.blocks.includes('merge_conflict') ?? false
  const isBlocked = (plan?.blocks.length ?? 0) > 0
  const agentName = nameOf(worktree.agentId)
  const code = problemIn(error)?.code
  // The plan that is shown says both.
  const isInPlan = code === 'plan_changed' || code === 'merge_conflict'
  return (
    <section aria-label={words.title} className={barClass}>
      <Landings conversationKey={key} mayWrite={mayWrite} onChanged={onChanged} />
      {plan && isConflict && (
        <LandingConflict
          conversationKey={key}
          plan={plan}
          agentName={agentName}
          mayWrite={mayWrite}
          onPullRequest={() => wayChoice.set('pull-request')}
          onResolving={() => {
            onSaid(words.resolving(agentName))
            void changed()
          }}
        />
      )}
      {plan && <PlanBlocks plan={plan} />}
      {plan?.about.remote_changed !== undefined && (
        <ConfirmAddress plan={plan} projectId={worktree.projectId} onConfirmed={changed} />
      )}
      {code === 'plan_changed' && <p className="text-warn">{words.moved}</p>}
      <ProblemNote error={isInPlan ? undefined : error} typed={written !== undefined} />
      <ProblemNote error={plan ? undefined : unplanned} onRetry={() => void refetch()} />
      {plan && (!isBlocked || isConflict) && <PlanSteps plan={plan} message={message} />}
      {isOther && (
        <OtherBranch
          branch={into}
          onBranch={(name) => {
            setBranch(name === '' ? undefined : name)
            setOther(false)
          }}
        />
      )}
      {mayWrite && plan && !isConflict && (
        <form
          className="flex min-w-0 items-end gap-2 max-md:flex-wrap"
          onSubmit={(event) => {
            event.preventDefault()
            void land()
          }}
        >
          {state.uncommitted > 0 && (
            <span className="self-center text-sm whitespace-nowrap text-warn">
              {words.uncommitted(state.uncommitted)}
            </span>
          )}
          {needsMessage(plan, state) && (
            <textarea
              aria-label={words.message}
              value={message}
              rows={1}
              dir="auto"
              onChange={({ target }) => setWritten(target.value)}
              className={messageClass}
            />
          )}
          <div className="ml-auto flex min-w-0 max-md:w-full">
            <SubmitButton
              waiting={waiting}
              disabled={isBlocked || isFetching}
              className="min-w-0 flex-1 rounded-r-none!"
            >
              <span className="truncate">{words.does(how, state.uncommitted, into)}</span>
            </SubmitButton>
            <Ways
              plan={plan}
              files={state.uncommitted}
              into={into}
              how={how}
              onCommit={() => void commit()}
              onOther={() => setOther(true)}
            />
          </div>
        </form>
      )}
    </section>
  )
}

/** Taken when it is whole: each name is planned for. */
function OtherBranch({ branch, onBranch }: { branch: string; onBranch: (branch: string) => void }) {
  const { landing: words } = useReviewWords()
  const [name, setName] = useState(branch)
  return (
    <form
      className="max-w-80"
      onSubmit={(event) => {
        event.preventDefault()
        onBranch(name.trim())
      }}
    >
      <TextField label={words.into} value={name} onValue={setName} mono autoFocus />
    </form>
  )
}

/** A plan that another came in the place of. */
function planIn(failure: unknown): LandingPlan | undefined {
  const { plan } = (problemIn(failure) ?? {}) as { plan?: LandingPlan }
  return typeof plan === 'object' ? plan : undefined
}

/** Where nothing is committed and branches only move, there is nothing to say. */
const needsMessage = ({ how, steps }: LandingPlan, { uncommitted }: WorktreeState): boolean =>
  uncommitted > 0 ||
  how === 'pull-request' ||
  steps.some((step) => step.do === 'move' && (step.by === 'merge' || step.by === 'squash'))

interface WaysProps {
  readonly plan: LandingPlan
  readonly files: number
  readonly into: string
  readonly how: LandingWay
  readonly onCommit: () => void
  readonly onOther: () => void
}

function Ways({ plan, files, into, how, onCommit, onOther }: WaysProps) {
  const { landing: words } = useReviewWords()
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={words.more}
        title={words.more}
        className={buttonClass('primary', 'rounded-l-none! border-l border-accent-ink/30 px-2!')}
      >
        <BackIcon className="size-3.5 -rotate-90" />
      </Menu.Trigger>
      <MenuPopup side="top">
        <MenuChoice
          label={words.ways}
          value={how}
          values={ways.map((id) => ({ id, name: words.does(id, files, into) }))}
          onValue={(value) => wayChoice.set(value as LandingWay)}
        />
        <Menu.Separator className="my-1 h-px bg-line" />
        {files > 0 && !plan.blocks.includes('agent_works') && (
          <Menu.Item className={itemClass} onClick={onCommit}>
            {words.commitOnly(files)}
          </Menu.Item>
        )}
        <Menu.Item className={itemClass} onClick={onOther}>
          {words.otherBranch}
        </Menu.Item>
      </MenuPopup>
    </Menu.Root>
  )
}

/** LD7: another address than the one that is pinned is used when somebody who manages says so. */
function ConfirmAddress({
  plan,
  projectId,
  onConfirmed,
}: {
  plan: LandingPlan
  projectId: string
  onConfirmed: () => Promise<void>
}) {
  const { landing: words } = useReviewWords()
  const mayManage = useMay('manage')
  const { send, waiting, error } = useRequest()
  const [, address = ''] = plan.about.remote_changed?.split(' → ') ?? []
  if (!mayManage || address === '') return null
  const confirm = async () => {
    const body = { address }
    const isDone = await send(() =>
      client.put('/api/projects/{projectId}/remote', { params: { projectId }, body }),
    )
    if (isDone) await onConfirmed()
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SubmitButton type="button" look="plain" waiting={waiting} onClick={() => void confirm()}>
        {words.confirmAddress}
      </SubmitButton>
      <ProblemNote error={error} />
    </div>
  )
}
