/** Channels in short; who is let in is decided on their own page. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { channels } from '../live/channels.ts'
import { buttonClass } from '../parts/button.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { useSaid } from '../translations/messages.tsx'
import { ChannelState } from './channel-state.tsx'
import { useChannelWords } from './words.ts'

const lookEveryMs = 10_000

export function ChannelSummary() {
  const translate = useSaid()
  const words = useChannelWords()
  const { data } = useQuery({ ...channels, refetchInterval: lookEveryMs })
  if (!data) return null
  return (
    <Section
      title={words.title}
      actions={
        <Link to="/channels" className={buttonClass()}>
          {words.all}
        </Link>
      }
    >
      <Rows label={words.title}>
        {data.map((channel) => (
          <li
            key={channel.channel}
            className="list-row flex min-h-11 flex-wrap items-center gap-x-3 py-1.5"
          >
            <span className="font-medium">{words.names[channel.channel]}</span>
            <ChannelState channel={channel} />
            {channel.asking > 0 && (
              <span className="text-warn">{words.askingCount(channel.asking)}</span>
            )}
            {channel.lastInAt && (
              <Ago at={channel.lastInAt} className="ml-auto text-sm text-faint" />
            )}
            {channel.trouble && (
              <p className="w-full text-sm text-bad">
                {translate(channel.trouble, channel.notice)}
              </p>
            )}
          </li>
        ))}
      </Rows>
    </Section>
  )
}
