/**
 * Begins a session: the prompt, then project, agent and place, prefilled. Enter starts it and goes
 * there, Ctrl+Enter starts it and stays.
 */
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useDraft } from '../live/draft.ts'
import { client, useHome, useMay } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { useSending } from '../live/sending.ts'
import { Button, buttonClass, SubmitButton } from '../parts/button.tsx'
import { Choice } from '../parts/choice.tsx'
import { InputDialog } from '../parts/dialog.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import { notify } from '../parts/notices.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { WritingArea } from '../parts/writing-area.tsx'
import { useWords } from '../translations/messages.tsx'
import { AttachButton, AttachedList, useAttachments } from '../turns/attachments.tsx'
import {
  type Chosen,
  keepLastUsed,
  type Place,
  prefilled,
  readLastUsed,
  remembering,
} from './session-draft.ts'

const longest = 100_000
const draftKey = 'new-session'

interface Draft extends Chosen {
  readonly text: string
}

export function NewSessionDialog({
  projectId,
  onClose,
}: {
  projectId: string | undefined
  onClose: () => void
}) {
  const { now } = useWords()
  return (
    <InputDialog open wide title={now.newSession} onClose={onClose}>
      <NewSession
        inFront={projectId}
        onBegun={onClose}
        close={
          <>
            <span className="mr-auto min-w-0 truncate text-xs text-faint max-md:hidden">
              {now.keptAsDraft}
            </span>
            <Button look="quiet" onClick={onClose}>
              {now.cancel} <KeyCap name="Esc" />
            </Button>
          </>
        }
      />
    </InputDialog>
  )
}

/** To the sessions that agents keep on the machine. */
export function ImportLink({ long = false }: { long?: boolean }) {
  const { importing } = useWords().now
  const mayManage = useMay('manage')
  if (!mayManage) return null
  return (
    <Link
      to="."
      search={{ new: 'import' }}
      className="inline-flex min-h-6 items-center text-xs text-quiet underline underline-offset-2"
    >
      {long ? importing.link : `${importing.title}…`}
    </Link>
  )
}

interface NewSessionProps {
  /** The project in front. */
  readonly inFront?: string | undefined
  readonly onBegun?: () => void
  /** Before the buttons that start it. */
  readonly close?: ReactNode
}

export function NewSession({ inFront, onBegun, close }: NewSessionProps) {
  const { now, chat } = useWords()
  const mayManage = useMay('manage')
  const home = useHome()
  const navigate = useNavigate()
  const area = useRef<HTMLTextAreaElement>(null)
  const [draft, setDraft, clearDraft] = useDraft<Draft>(draftKey, { text: '' })
  const attachments = useAttachments(draftKey, true)
  const { waiting, error, send, stop } = useSending<{ readonly key: string }>()
  const found = home && prefilled(home, inFront, readLastUsed(), draft)
  if (!found) return <NoAgent />
  const { project, agent, place, projects, agents } = found

  async function begin(stays: boolean) {
    const content = draft.text
    if (content.trim() === '' || waiting || attachments.reading) return area.current?.focus()
    const params = { projectId: project.id }
    const body = {
      agentId: agent.id,
      content,
      ...(place && { workplace: place }),
      ...(attachments.attached.length > 0 && { media: [...attachments.attached] }),
    }
    const begun = await send([params, body], (options) =>
      client.post('/api/projects/{projectId}/conversations', { params, body, ...options }),
    )
    if (!begun) return
    keepLastUsed(remembering(readLastUsed(), { projectId: project.id, agentId: agent.id, place }))
    clearDraft()
    attachments.clear()
    refreshRecent(begun.key)
    const to = {
      to: '/projects/$projectId/session/$key',
      params: { projectId: project.id, key: begun.key },
    } as const
    if (!stays) return void navigate(to)
    notify(now.begun)
    onBegun?.()
  }

  return (
    <form
      data-composer
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        void begin(false)
      }}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto px-5 pt-4 pb-2">
        <WritingArea
          area={area}
          label={now.what}
          value={draft.text}
          longest={longest}
          onValue={(text) => setDraft({ ...draft, text })}
          onKey={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return false
            event.preventDefault()
            void begin(true)
            return true
          }}
          onSend={() => void begin(false)}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return
            event.preventDefault()
            void attachments.add([...event.clipboardData.files])
          }}
          className="w-full min-h-20! bg-transparent py-1 outline-none max-md:text-base"
        />
        <AttachedList {...attachments} />
        <ProblemNote error={error} typed />
        <SlowAnswer waiting={waiting} onStop={stop} />
        <div className="-ml-2 flex flex-wrap items-center gap-1">
          <AttachButton onFiles={(files) => void attachments.add(files)} />
          <Choice
            label={now.inProject}
            value={project.id}
            onValue={(projectId) => setDraft({ text: draft.text, projectId })}
            values={projects}
            disabled={false}
          />
          <Choice
            label={now.byAgent}
            value={agent.id}
            onValue={(agentId) =>
              agentId === ''
                ? void navigate({ to: '/agents' })
                : setDraft({ ...draft, projectId: project.id, agentId })
            }
            values={[...agents, ...(mayManage ? [{ id: '', name: now.addAgent }] : [])]}
            disabled={false}
          />
          {agent.protocol !== 'mcp' && project.path !== null && (
            <Choice
              label={now.workplace}
              value={place}
              onValue={(next) =>
                setDraft({ ...draft, projectId: project.id, place: next as Place })
              }
              values={[
                { id: '', name: now.anyWorkplace },
                { id: 'checkout', name: chat.workplace.kinds.checkout },
                { id: 'worktree', name: chat.workplace.kinds.worktree },
              ]}
              disabled={false}
            />
          )}
          <span className="ml-auto">
            <ImportLink />
          </span>
        </div>
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3 md:flex-nowrap">
        {close}
        <Button disabled={waiting} onClick={() => void begin(true)}>
          {now.startInBackground} <KeyCap name="Ctrl Enter" />
        </Button>
        <SubmitButton waiting={waiting}>
          {now.start} <KeyCap name="Enter" />
        </SubmitButton>
      </div>
    </form>
  )
}

/** What is missing before a session can begin, and the way to it. */
function NoAgent() {
  const { now, projects } = useWords()
  const home = useHome()
  const [project] = home?.projects ?? []
  return (
    <div className="flex flex-col items-start gap-3 px-5 py-4">
      <p>{project ? now.noAgent(project.name) : now.noProject}</p>
      {project ? (
        <Link
          to="/projects/$projectId"
          params={{ projectId: project.id }}
          className={buttonClass('primary')}
        >
          {now.addAgent}
        </Link>
      ) : (
        <Link to="." search={{ new: 'project' }} className={buttonClass('primary')}>
          {projects.new}
        </Link>
      )}
    </div>
  )
}
