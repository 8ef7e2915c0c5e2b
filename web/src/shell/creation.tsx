/** The dialog that creates something, over whatever page is open. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { PersonCreation } from '../access/person-creation.tsx'
import { TokenCreation } from '../access/token-creation.tsx'
import { AgentCreation } from '../agents/agent-creation.tsx'
import { loadOnce } from '../lazy-route.tsx'
import { NewSessionDialog } from '../now/new-session.tsx'
import { Button } from '../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { ProjectForm } from '../projects/project-form.tsx'
import type { Creation as What } from '../router.tsx'
import { useWords } from '../translations/messages.tsx'

/**
 * Loaded on demand: it draws a QR code, and few people need it. The shell waits for it (shell.tsx).
 */
const PhoneSignIn = lazy(
  loadOnce(async () => ({ default: (await import('../access/phone-sign-in.tsx')).PhoneSignIn })),
)

const ConnectEditor = lazy(
  loadOnce(async () => ({ default: (await import('../access/connect-editor.tsx')).ConnectEditor })),
)

const ConnectVsCode = lazy(
  loadOnce(async () => ({ default: (await import('../access/connect-vscode.tsx')).ConnectVsCode })),
)

/** Seldom wanted, and with a list of its own. */
const ImportSessions = lazy(
  loadOnce(async () => ({
    default: (await import('../now/import-sessions.tsx')).ImportSessions,
  })),
)

export function Creation({ what }: { what: What }) {
  const words = useWords()
  const navigate = useNavigate()
  const { projectId } = useParams({ strict: false })
  const { in: wanted } = useSearch({ strict: false })
  const close = () =>
    void navigate({
      to: '.',
      search: ({ new: _, in: __, ...others }) => others,
      replace: true,
    })
  const layout = (fields: ReactNode, submit: ReactNode) => (
    <>
      <DialogBody>{fields}</DialogBody>
      <DialogFoot>
        <Button onClick={close}>{words.act.cancel}</Button>
        {submit}
      </DialogFoot>
    </>
  )
  switch (what) {
    case 'session':
      return <NewSessionDialog projectId={wanted ?? projectId} onClose={close} />
    case 'import':
      return (
        <Suspense>
          <ImportSessions onClose={close} />
        </Suspense>
      )
    case 'project':
      return (
        <InputDialog open title={words.projects.new} onClose={close}>
          <ProjectForm layout={layout} />
        </InputDialog>
      )
    case 'agent':
      return <AgentCreation layout={layout} onClose={close} />
    case 'person':
      return <PersonCreation layout={layout} onClose={close} />
    case 'token':
      return <TokenCreation layout={layout} onClose={close} />
    case 'editor':
      return <ConnectEditor onClose={close} />
    case 'vscode':
      return <ConnectVsCode layout={layout} onClose={close} />
    case 'phone':
      return <PhoneSignIn onClose={close} />
  }
}
