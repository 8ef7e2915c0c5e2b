/** The few icons of the page, drawn on a 16 px grid. Decoration only: the word beside an icon carries the meaning. */
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
export const SystemIcon = ({ className }: IconProps) => (
  <Icon className={className}>
    <rect x="2.25" y="2.5" width="11.5" height="4.5" rx="1.25" />
    <rect x="2.25" y="9" width="11.5" height="4.5" rx="1.25" />
    <path d="M4.75 4.75h.01M4.75 11.25h.01" strokeWidth="2" />
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
export const FoldIcon = () => <BackIcon className="size-3.5 shrink-0 rotate-180 text-faint group-open:-rotate-90" />
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
