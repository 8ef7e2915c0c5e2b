/** “Allow host and retry” in a failure: nothing where no host was refused, or one may not. */
import { useAskingWords } from '../approvals/words.ts'
import { client, useMay } from '../live/queries.ts'
import { SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { refusedHosts } from './refused-hosts.ts'
import { useRequest } from './use-request.ts'

interface Place {
  readonly projectId: string
  readonly agentId: string
}

/** Adds them to what the agent may reach in the project. */
async function allowHosts(params: Place, hosts: readonly string[]): Promise<void> {
  const path = '/api/projects/{projectId}/agents/{agentId}'
  const { allow } = await client.get(path, { params })
  const body = { allow: { ...allow, hosts: [...new Set([...allow.hosts, ...hosts])] } }
  await client.put(path, { params, body: body as never })
}

interface AllowHostsProps {
  readonly notice: unknown
  readonly place: Place
  readonly onAllowed: () => unknown
}

export function AllowHostsButton({ notice, place, onAllowed }: AllowHostsProps) {
  const askingWords = useAskingWords()
  const mayManage = useMay('manage')
  const { waiting, error, send } = useRequest()
  const hosts = refusedHosts(notice)
  if (hosts.length === 0 || !mayManage) return null
  return (
    <>
      <ProblemNote error={error} />
      <SubmitButton
        type="button"
        className="max-w-full whitespace-normal!"
        data-press
        waiting={waiting}
        onClick={() =>
          void send(async () => {
            await allowHosts(place, hosts)
            await onAllowed()
          })
        }
      >
        {askingWords.allowHosts(hosts.join(', '))}
      </SubmitButton>
    </>
  )
}
