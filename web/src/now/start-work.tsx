/**
 * The composer on Now: says what should be done, chooses project and agent, and goes to the
 * session.
 */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useRef } from 'react'
import { useDraft } from '../live/draft.ts'
import type { Home } from '../live/home.ts'
import { client, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { Choice } from '../parts/choice.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { WritingArea } from '../parts/writing-area.tsx'
import { useWords } from '../translations/messages.tsx'

const longest = 100_000

interface Draft {
  readonly text: string
  readonly projectId: string
  readonly agentId: string
  /** '': as the project says. */
  readonly workplace?: '' | 'checkout' | 'worktree'
}

export function StartWork({ home }: { home: Home }) {
  const { now, chat } = useWords()
  const mayWrite = useMay('write')
  const mayManage = useMay('manage')
  const navigate = useNavigate()
  const area = useRef<HTMLTextAreaElement>(null)
  // What was chosen last is offered again; what was typed is kept until it is sent.
  const [draft, setDraft] = useDraft<Draft>('now.start', { text: '', projectId: '', agentId: '' })
  const { waiting, error, send, stop } = useSending()
  const beginning = useSending<{ readonly key: string }>()
  const projects = home.projects.filter(({ agentIds }) => agentIds.length > 0)
  const project = projects.find(({ id }) => id === draft.projectId) ?? projects[0]
  if (!mayWrite || !project) return null
  const agents = home.agents.filter(({ id }) => project.agentIds.includes(id))
  // An agent that is prompted can be started from here; one that pulls comes by itself.
  const agent =
    agents.find(({ id }) => id === draft.agentId) ??
    agents.find(({ protocol }) => protocol !== 'mcp') ??
    agents[0]
  if (!agent) return null

  async function start(event?: FormEvent) {
    event?.preventDefault()
    if (!project || !agent) return
    if (draft.text.trim() === '') return area.current?.focus()
    const { workplace } = draft
    const body = {
      projectId: project.id,
      toAgentId: agent.id,
      content: draft.text,
      ...(workplace && { workplace }),
    }
    if (!(await send(body, (options) => client.post('/api/chat', { body, ...options })))) return
    setDraft({ ...draft, text: '', projectId: project.id, agentId: agent.id })
    await navigate({
      to: '/projects/$projectId/chat/$agentId',
      params: { projectId: project.id, agentId: agent.id },
    })
  }

  /** In a process of its own, beside the agent's first session. */
  async function begin() {
    if (!project || !agent) return
    if (draft.text.trim() === '') return area.current?.focus()
    const { workplace } = draft
    const body = { agentId: agent.id, content: draft.text, ...(workplace && { workplace }) }
    const path = '/api/projects/{projectId}/conversations'
    const params = { projectId: project.id }
    const begun = await beginning.send(body, (options) =>
      client.post(path, { params, body, ...options }),
    )
    if (!begun) return
    setDraft({ ...draft, text: '', projectId: project.id, agentId: agent.id })
    await navigate({
      to: '/projects/$projectId/session/$key',
      params: { projectId: project.id, key: begun.key },
    })
  }

  return (
    <form
      onSubmit={(event) => void start(event)}
      className="flex flex-col gap-1 rounded-lg bg-raised p-2 shadow-[inset_0_0_0_1px_var(--edge)] focus-within:shadow-[inset_0_0_0_1px_var(--accent)]"
    >
      <WritingArea
        area={area}
        label={now.what}
        value={draft.text}
        longest={longest}
        onValue={(text) => setDraft({ ...draft, text })}
        onSend={() => void start()}
        className="w-full bg-transparent px-1.5 py-1.5 outline-none max-md:text-base"
      />
      <ProblemNote error={error ?? beginning.error} typed />
      <SlowAnswer waiting={waiting} onStop={stop} />
      <SlowAnswer waiting={beginning.waiting} onStop={beginning.stop} />
      <div className="flex flex-wrap items-center gap-1">
        <Choice
          label={now.inProject}
          value={project.id}
          onValue={(projectId) => setDraft({ ...draft, projectId })}
          values={projects}
          disabled={false}
        />
        <Choice
          label={now.byAgent}
          value={agent.id}
          onValue={(agentId) =>
            agentId === '' ? void navigate({ to: '/agents' }) : setDraft({ ...draft, agentId })
          }
          values={[...agents, ...(mayManage ? [{ id: '', name: now.addAgent }] : [])]}
          disabled={false}
        />
        {agent.protocol !== 'mcp' && project.path !== null && (
          <Choice
            label={now.workplace}
            value={draft.workplace ?? ''}
            onValue={(workplace) =>
              setDraft({ ...draft, workplace: workplace as Draft['workplace'] & string })
            }
            values={[
              { id: '', name: now.anyWorkplace },
              { id: 'checkout', name: chat.workplace.kinds.checkout },
              { id: 'worktree', name: chat.workplace.kinds.worktree },
            ]}
            disabled={false}
          />
        )}
        <div className="ml-auto flex gap-1">
          <SubmitButton
            look="quiet"
            type="button"
            waiting={beginning.waiting}
            onClick={() => void begin()}
          >
            {now.newSession}
          </SubmitButton>
          <SubmitButton waiting={waiting}>{now.start}</SubmitButton>
        </div>
      </div>
    </form>
  )
}
