/**
 * The few icons of the page, drawn on a 16 px grid. Decoration only: the word beside an icon
 * carries the meaning.
 */
import type { ReactNode } from 'react'

function Icon({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      className={`shrink-0 ${className ?? ''}`}
    >
      {children}
    </svg>
  )
}

interface IconProps {
  readonly className?: string
}

/** An H whose stems end in roots that hold: the mark of the product. */
export const MarkIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M5 1.75V7c0 3.6-.9 5.7-3.25 7.25M11 1.75V7c0 3.6.9 5.7 3.25 7.25M5 7h6M8 7v7.25" />
  </Icon>
)
export const NowIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M1.75 8.5h2.6l1.9-5 3.2 9 1.9-4h2.9" />
  </Icon>
)
export const ProjectIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M2 4.25c0-.7.55-1.25 1.25-1.25h2.6l1.5 1.75h5.4c.7 0 1.25.55 1.25 1.25v6c0 .7-.55 1.25-1.25 1.25h-9.5C2.55 13.25 2 12.7 2 12z" />
  </Icon>
)
export const AgentIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <rect x="2.5" y="4.75" width="11" height="8.5" rx="2.25" />
    <path d="M8 4.75V2.25M6 8.25v1.25M10 8.25v1.25" />
  </Icon>
)
export const PeopleIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <circle cx="6" cy="5.25" r="2.5" />
    <path d="M1.75 13.25c.3-2.4 2-3.75 4.25-3.75s3.95 1.35 4.25 3.75M10.5 3.1a2.5 2.5 0 0 1 0 4.3M12 9.9c1.3.5 2.1 1.7 2.3 3.35" />
  </Icon>
)
/** Two sliders. */
export const SettingsIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M2 5h6.5M12 5h2M2 11h2M7.5 11H14" />
    <circle cx="10.25" cy="5" r="1.75" />
    <circle cx="5.75" cy="11" r="1.75" />
  </Icon>
)
export const SystemIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <rect x="2.25" y="2.5" width="11.5" height="4.5" rx="1.25" />
    <rect x="2.25" y="9" width="11.5" height="4.5" rx="1.25" />
    <path d="M4.75 4.75h.01M4.75 11.25h.01" strokeWidth="2" />
  </Icon>
)
/** A paper plane. */
export const ChannelIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M14 2 1.75 6.75l4.75 2.5 2.5 5zM6.5 9.25 10 5.75" />
  </Icon>
)
export const TalkIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M2 4c0-.8.6-1.4 1.4-1.4h9.2c.8 0 1.4.6 1.4 1.4v5.6c0 .8-.6 1.4-1.4 1.4H7.2L4 13.6V11h-.6C2.6 11 2 10.4 2 9.6zM5 5.6h6M5 8h3.5" />
  </Icon>
)
export const CalendarIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <rect x="2.25" y="3.25" width="11.5" height="10.5" rx="1.5" />
    <path d="M2.25 6.5h11.5M5.25 1.75v3M10.75 1.75v3" />
  </Icon>
)
export const BackIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M9.75 3 4.75 8l5 5" />
  </Icon>
)
/** Before what opens under it, in a `group` that is open or not. */
/** Turned by the nearest `details`, whatever is around that. */
const foldClass = 'size-3.5 shrink-0 rotate-180 text-faint in-[details[open]>summary]:-rotate-90'
export const FoldIcon = () => <BackIcon className={foldClass} />
export const SearchIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <circle cx="7" cy="7" r="4.25" />
    <path d="m10.25 10.25 3.25 3.25" />
  </Icon>
)
export const PlusIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M8 3.25v9.5M3.25 8h9.5" />
  </Icon>
)
export const CloseIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Icon>
)
export const CopyIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.5V4c0-.8-.7-1.5-1.5-1.5H4c-.8 0-1.5.7-1.5 1.5v5c0 .8.7 1.5 1.5 1.5h1.5" />
  </Icon>
)
export const CheckIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="m3 8.5 3.25 3.25L13 4.75" />
  </Icon>
)
export const ResetIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <path d="M3 8a5 5 0 1 0 1.6-3.65M3 2.75V5.5h2.75" />
  </Icon>
)
export const ThoughtIcon = () => (
  <Icon className="size-3.5">
    <path d="M5.5 11c-1.2-.9-2-2.2-2-3.75a4.5 4.5 0 0 1 9 0c0 1.55-.8 2.85-2 3.75v1h-5zM6 14.25h4" />
  </Icon>
)
export const HistoryIcon = () => (
  <Icon className="size-3.5">
    <path d="M2.5 8a5.5 5.5 0 1 0 1.75-4M2.5 2.5V5H5M8 5v3.25l2 1.25" />
  </Icon>
)
export const ClipIcon = () => (
  <Icon>
    <path d="m12.75 7.5-4.9 4.9a2.9 2.9 0 0 1-4.1-4.1l5.3-5.3a1.95 1.95 0 0 1 2.75 2.75l-5.2 5.2a1 1 0 0 1-1.4-1.4l4.6-4.6" />
  </Icon>
)
export const BranchIcon = () => (
  <Icon className="size-3.5">
    <circle cx="4.5" cy="3.5" r="1.5" />
    <circle cx="4.5" cy="12.5" r="1.5" />
    <circle cx="11.5" cy="4.5" r="1.5" />
    <path d="M4.5 5v6M11.5 6c0 2.5-3 2.5-5.5 4" />
  </Icon>
)
export const ColumnsIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <rect x="2" y="3" width="12" height="10" rx="1.5" />
    <path d="M6 3v10M10 3v10" />
  </Icon>
)

/** Six dots: what can be moved. */
export const GripIcon = () => (
  <Icon className="size-3.5">
    <path d="M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01" strokeWidth="2" />
  </Icon>
)
/** Three dots. */
export const MoreIcon = () => (
  <Icon>
    <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />
  </Icon>
)
export const DownIcon = () => (
  <Icon className="size-3.5">
    <path d="M8 3v10M4 9l4 4 4-4" />
  </Icon>
)

const toolPaths = {
  read: 'M4 2h5l3 3v9H4zM9 2v3h3M6 8h4M6 10.5h4',
  edit: 'm10.5 2.75 2.75 2.75L6 12.75l-3.25.5.5-3.25z',
  delete: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13h6l.5-8.5',
  move: 'M2.5 8h10M9.5 5l3 3-3 3',
  search: 'M11 7A4 4 0 1 1 3 7a4 4 0 0 1 8 0zM10 10l3.5 3.5',
  execute: 'm3 4.5 3.5 3.5L3 11.5M8 12h5',
  think: 'M5.5 11c-1.2-.9-2-2.2-2-3.75a4.5 4.5 0 0 1 9 0c0 1.55-.8 2.85-2 3.75v1h-5zM6 14.25h4',
  fetch: 'M8 2.5v8M5 7.5l3 3 3-3M3 13.5h10',
  switch_mode: 'M3 5.5h10l-2.5-2.5M13 10.5H3L5.5 13',
  other:
    'M6.5 3a3 3 0 0 0 3.8 3.8l3 3a1.8 1.8 0 0 1-2.5 2.5l-3-3A3 3 0 0 1 4 5.5l1.75 1.75 1.5-1.5L5.5 4z',
} as const

export const ToolIcon = ({ kind }: { kind: keyof typeof toolPaths }) => (
  <Icon className="size-3.5">
    <path d={toolPaths[kind]} />
  </Icon>
)
