/**
 * System: what lives, since when, and why the rest ended. Processes, agent sessions, coordinators,
 * the server, and who is looking.
 */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { DeviceList } from '../access/device-list.tsx'
import { loadOnce } from '../lazy-route.tsx'
import { useConnection } from '../live/connection.ts'
import { client, useMe } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { Choices } from '../parts/choices.tsx'
import { notify } from '../parts/notices.tsx'
import { Fact, Facts, Page, Section } from '../parts/page.tsx'
import { describeProblem } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { useChoice } from '../preferences/choice.ts'
import { languageChoice, languages } from '../preferences/language.ts'
import { themeChoice, themes } from '../preferences/theme.ts'
import { AgentSessions } from '../processes/agent-sessions.tsx'
import { Coordinators } from '../processes/coordinators.tsx'
import { ProcessDrawer } from '../processes/process-drawer.tsx'
import { Processes } from '../processes/processes.tsx'
import { ConnectionState } from '../shell/connection-strip.tsx'
import { signOut } from '../shell/sign-out.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { DayBegins } from './day-begins.tsx'
import { readHealth } from './health.ts'

const checkEveryMs = 10_000

/** Comes with its page, so that the first visit stays small. */
const Channels = lazy(
  loadOnce(async () => ({
    default: (await import('../channels/channel-summary.tsx')).ChannelSummary,
  })),
)

export function SystemPage() {
  const words = useWords()
  return (
    <Page title={words.system.title}>
      <Processes />
      <AgentSessions />
      <Coordinators />
      <Suspense>
        <Channels />
      </Suspense>
      <Server />
      <You />
      <DeviceList />
      <Appearance />
      <ProcessDrawer />
    </Page>
  )
}

function Server() {
  const words = useWords()
  const writing = useWriting()
  const { state } = useConnection()
  const { data: disk } = useQuery({
    queryKey: ['disk'],
    queryFn: ({ signal }) => client.get('/api/disk', { signal }),
  })
  const { data } = useQuery({
    queryKey: ['health', state],
    queryFn: readHealth,
    refetchInterval: checkEveryMs,
    staleTime: 0,
  })
  return (
    <Section title={words.system.server}>
      <Facts>
        <Fact name={words.system.address}>
          <span className="font-mono text-sm">{location.origin}</span>
        </Fact>
        {data?.version && <Fact name={words.system.version}>{data.version}</Fact>}
        {data && (
          <>
            <Fact name={words.system.alive}>
              <Dotted good={data.alive}>
                {data.alive ? words.system.aliveYes : words.system.aliveNo}
              </Dotted>
            </Fact>
            <Fact name={words.system.store}>
              <Dotted good={data.ready}>
                {data.ready ? words.system.storeYes : words.system.storeNo}
              </Dotted>
            </Fact>
          </>
        )}
        {disk && (
          <Fact name={words.system.logs}>
            {words.system.logsTake(
              writing.size(disk.logs.bytes),
              writing.size(disk.logs.atMostBytes),
            )}
          </Fact>
        )}
        <DayBegins />
        <Fact name={words.system.stream}>
          <ConnectionState />
        </Fact>
        {data && (
          <Fact name={words.system.checkedAt}>
            <Ago at={data.at} />
          </Fact>
        )}
      </Facts>
      <p>
        <a
          href="/api/docs"
          className="text-accent underline underline-offset-2 hover:text-accent-hover"
        >
          {words.system.docs}
        </a>
      </p>
    </Section>
  )
}

const Dotted = ({ good, children }: { good: boolean; children: string }) => (
  <span className="inline-flex items-center gap-2">
    <StateDot state={good ? 'ready' : 'failed'} />
    {children}
  </span>
)

function You() {
  const words = useWords()
  const me = useMe()
  if (!me) return null
  return (
    <Section title={words.system.you}>
      <Facts>
        <Fact name={words.system.signedInAs}>
          {me.name}
          {me.role && <span className="text-quiet"> · {words.people.roles[me.role]}</span>}
        </Fact>
        <Fact name={words.system.may}>
          {me.scopes.map((scope) => words.tokens.scopeNames[scope] ?? scope).join(' · ')}
        </Fact>
      </Facts>
      <div>
        <Button
          onClick={() =>
            void signOut().catch((error: unknown) => notify(describeProblem(error, words).title))
          }
        >
          {words.preferences.signOut}
        </Button>
      </div>
    </Section>
  )
}

function Appearance() {
  const words = useWords()
  const theme = useChoice(themeChoice)
  const language = useChoice(languageChoice)
  return (
    <Section title={words.system.appearance}>
      <div className="flex flex-wrap gap-x-8 gap-y-4 border-y border-line py-3">
        <Choices
          label={words.preferences.theme}
          value={theme}
          onValue={themeChoice.set}
          options={themes.map((each) => ({ value: each, name: words.preferences.themes[each] }))}
        />
        <Choices
          label={words.preferences.language}
          value={language}
          onValue={languageChoice.set}
          options={languages.map((each) => ({
            value: each,
            name: words.preferences.languages[each],
          }))}
        />
      </div>
    </Section>
  )
}
