------------------------------- MODULE Tokens -------------------------------
(***************************************************************************)
(* The fencing tokens of one bucket of keys, which two servers hand out:   *)
(* a primary, and the one that takes over from it while it may live on.    *)
(* See README.md for what is modelled, what is not, and how to run it.     *)
(*                                                                         *)
(* Who holds a key is of no interest here.  Everybody may ask for a token  *)
(* at any time, of the primary, or for a while of the one before it.       *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Clients,      \* who asks for tokens
  Rule,         \* how a new primary gets ahead of the old one: see Rules
  Lead,         \* by how many tokens it does
  TokensPerTick,\* how far the clock of a server, counted in tokens, goes in a tick
  Skew,         \* by how many ticks the clocks of the servers may differ
  Patience,     \* for how many ticks the old primary may still be written to
  MaxTime,      \* when the model ends
  MaxGrants,    \* how many tokens are handed out
  MaxSwitches,  \* how often the other server takes over
  MaxRestarts,  \* how often the primary is restarted, and may lose its memory
  Known,        \* whether the fence of the bucket is there, at both, to begin with
  Unseen,       \* whether a client that was idle while a server was none may go on with it when it is primary again
  Late          \* whether the first call of a client that connected may come when it asks for its first token

\* "none": a counter and the clock, as for one server.
\* "bucket": who hands out the first token of a bucket under its identity leaves a gap.  The fence
\*   remembers whose last token it was; an identity is that of a process for as long as it is primary.
\* "process": the same, but a process that is primary again is taken for the one it was.
\* "follow": the server remembers under which identity tokens were handed out last.  Each call compares that
\*   with the one it has, and leaps if it has another one.  So does the first call over a connection, which is
\*   sent at once, if its client was at another process before.
Rules == {"none", "bucket", "process", "follow"}

ASSUME Rule \in Rules

VARIABLES
  now,       \* real time
  ahead,     \* by how many ticks the clock of each server is ahead
  primary,   \* where newcomers are led to
  deposed,   \* when each server ceased to be that, if it may still be written to; else -1
  joined,    \* whether the other server is a replica of the primary
  fence,     \* of each server: the last token, and the identity that it was handed out under
  states,    \* the fences of the primary that the replica may have heard of last
  process,   \* of each server: changes when it is restarted
  identity,  \* of each server: changes when it becomes primary, too
  seen,      \* whether a client has come to each server since
  at,        \* the process that each client is connected to, or was last; 0 if it is new
  followed,  \* the one that answered its calls last
  epoch,     \* of each server: how many changes there were when it became primary
  changes,   \* switches and restarts
  changed,   \* when the last change or leap was
  switches,
  granted    \* all tokens, with the epoch of who handed them out and in which order

vars == <<now, ahead, primary, deposed, joined, fence, states, process, identity, seen, at, followed, epoch, changes,
          changed, switches, granted>>

-----------------------------------------------------------------------------

Symmetry == Permutations(Clients)

Servers == {1, 2}
Other(s) == 3 - s
Max(a, b) == IF a >= b THEN a ELSE b

Clock(s) == (now + ahead[s]) * TokensPerTick

Absent == [last |-> -1, by |-> 0]

\* The first client of all came long ago, and a server is remembered for longer than its last token.
Init ==
  /\ now = 0
  /\ ahead \in [Servers -> 0..Skew]
  /\ primary = 1
  /\ deposed = [s \in Servers |-> -1]
  /\ joined = TRUE
  /\ fence = [s \in Servers |-> [last |-> IF Known THEN 0 ELSE -1, by |-> IF Known \/ Rule = "follow" THEN 1 ELSE 0]]
  /\ states = {fence[1]}
  /\ process = [s \in Servers |-> s]
  /\ identity = [s \in Servers |-> s]
  /\ seen = [s \in Servers |-> s = 1]
  /\ at \in [Clients -> {0, 1}]
  /\ followed = at
  /\ epoch = [s \in Servers |-> 0]
  /\ changes = 0
  /\ changed = 0
  /\ switches = 0
  /\ granted = {}

IsWritten(s) == s = primary \/ (deposed[s] >= 0 /\ now <= deposed[s] + Patience)

\* What a call of a client finds: whether tokens leap.
Leaps(s, c) ==
  /\ Rule = "follow"
  /\ ~(Unseen /\ followed[c] = process[s])
  /\ fence[s].by # identity[s] \/ followed[c] \notin {0, process[s]}

Token(s, c) ==
  LET next == Max(fence[s].last + 1, Clock(s))
  IN CASE Rule = "none" -> next
       [] Rule = "follow" -> IF Leaps(s, c) THEN Max(next, Clock(s) + Lead) ELSE next
       [] OTHER -> IF fence[s].by = identity[s] THEN next ELSE next + Lead

\* A client takes a lock.
Grant(s, c) ==
  /\ Cardinality(granted) < MaxGrants
  /\ IsWritten(s)
  /\ at[c] = process[s]
  /\ followed[c] = process[s] \/ Late
  /\ seen[s] \/ Unseen
  /\ fence' = [fence EXCEPT ![s] = [last |-> Token(s, c), by |-> identity[s]]]
  /\ states' = IF s = primary THEN states \cup {fence'[s]} ELSE states
  /\ followed' = [followed EXCEPT ![c] = process[s]]
  /\ granted' = granted \cup {[token |-> Token(s, c), epoch |-> epoch[s], number |-> Cardinality(granted)]}
  /\ UNCHANGED <<now, ahead, primary, deposed, joined, process, identity, seen, at, epoch, changes, changed, switches>>

\* A client connects to the primary, or is the first to call it over a connection from before.  A primary whose
\* tokens leap by that stays so for a moment at least.
Arrive(c) ==
  LET s == primary
      leaps == Leaps(s, c)
  IN /\ ~seen[s] \/ at[c] # process[s]
     /\ fence' = IF leaps THEN [fence EXCEPT ![s] = [last |-> Max(@.last, Clock(s) + Lead - 1), by |-> identity[s]]]
                 ELSE fence
     /\ states' = states \cup {fence'[s]}
     /\ seen' = [seen EXCEPT ![s] = TRUE]
     /\ at' = [at EXCEPT ![c] = process[s]]
     /\ followed' = [followed EXCEPT ![c] = process[s]]
     /\ changed' = IF leaps THEN now ELSE changed
     /\ UNCHANGED <<now, ahead, primary, deposed, joined, process, identity, epoch, changes, switches, granted>>

\* A client connects to the primary, and sends nothing.
Connect(c) ==
  /\ Late
  /\ at[c] # process[primary]
  /\ at' = [at EXCEPT ![c] = process[primary]]
  /\ UNCHANGED <<now, ahead, primary, deposed, joined, fence, states, process, identity, seen, followed, epoch, changes,
                 changed, switches, granted>>

Reigns(s) ==
  /\ now > changed
  /\ identity' = [identity EXCEPT ![s] = IF Rule = "process" /\ s # primary THEN @ ELSE changes + 3]
  /\ seen' = [seen EXCEPT ![s] = FALSE]
  /\ epoch' = [epoch EXCEPT ![s] = changes + 1]
  /\ changes' = changes + 1
  /\ changed' = now
  /\ UNCHANGED <<at, followed>>

\* The replica takes over, with what it has heard of.  The old primary does not know.
Switch ==
  /\ switches < MaxSwitches
  /\ joined
  /\ LET s == Other(primary)
     IN /\ Reigns(s)
        /\ \E heard \in states : fence' = [fence EXCEPT ![s] = heard]
        /\ primary' = s
        /\ deposed' = [deposed EXCEPT ![primary] = now, ![s] = -1]
  /\ joined' = FALSE
  /\ states' = {}
  /\ switches' = switches + 1
  /\ UNCHANGED <<now, ahead, process, granted>>

\* The old primary becomes a replica: nobody writes to it any more, and it gets all that the new one has.
\* No connection to it is closed.
Join ==
  /\ ~joined
  /\ joined' = TRUE
  /\ deposed' = [deposed EXCEPT ![Other(primary)] = -1]
  /\ states' = {fence[primary]}
  /\ UNCHANGED <<now, ahead, primary, fence, process, identity, seen, at, followed, epoch, changes, changed, switches,
                 granted>>

\* The primary is restarted, with its memory, or without.
Restart ==
  /\ changes - switches < MaxRestarts
  /\ Reigns(primary)
  /\ process' = [process EXCEPT ![primary] = changes + 3]
  /\ \E left \in {fence[primary], Absent} : fence' = [fence EXCEPT ![primary] = left]
  /\ states' = IF joined THEN {fence'[primary]} ELSE {}
  /\ UNCHANGED <<now, ahead, primary, deposed, joined, switches, granted>>

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ UNCHANGED <<ahead, primary, deposed, joined, fence, states, process, identity, seen, at, followed, epoch, changes,
                 changed, switches, granted>>

Next ==
  \/ Tick \/ Switch \/ Join \/ Restart
  \/ \E c \in Clients : Arrive(c) \/ Connect(c) \/ \E s \in Servers : Grant(s, c)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold                                                          *)

TypeOK ==
  /\ now \in 0..MaxTime
  /\ primary \in Servers
  /\ \A s \in Servers : deposed[s] \in -1..MaxTime /\ fence[s].last >= -1 /\ epoch[s] <= changes

\* No token is handed out twice.
Distinct == \A g, h \in granted : g.token = h.token => g = h

\* While a server is primary, and after, its tokens grow.
Grow == \A g, h \in granted : g.epoch = h.epoch /\ g.number < h.number => g.token < h.token

\* Every token of a primary is larger than all of those before it, even those that they hand out after it.
NewerWins == \A g, h \in granted : g.epoch < h.epoch => g.token < h.token

=============================================================================
