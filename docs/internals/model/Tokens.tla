------------------------------- MODULE Tokens -------------------------------
(***************************************************************************)
(* The fencing tokens of one bucket of keys, which two servers hand out:   *)
(* a primary, and the one that takes over from it while it may live on.    *)
(* See README.md for what is modelled, what is not, and how to run it.     *)
(*                                                                         *)
(* Who holds a key is of no interest here.  Everybody may ask for a token  *)
(* at any time, of the primary, or for a while of the one before it.       *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
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
  Unseen        \* whether a client that was idle while a server was none may go on with it when it is primary again

\* "none": a counter and the clock, as for one server.
\* "bucket": who hands out the first token of a bucket under its identity leaves a gap.  The fence
\*   remembers whose last token it was; an identity is that of a process for as long as it is primary.
\* "process": the same, but a process that is primary again is taken for the one it was.
\* "reign": the gap begins when the first client comes to a server after it became primary, which
\*   the server keeps and every client sends along.
Rules == {"none", "bucket", "process", "reign"}

ASSUME Rule \in Rules

VARIABLES
  now,       \* real time
  ahead,     \* by how many ticks the clock of each server is ahead
  primary,   \* where newcomers are led to
  deposed,   \* when each server ceased to be that, if it may still be written to; else -1
  joined,    \* whether the other server is a replica of the primary
  fence,     \* of each server: the last token, and the identity that it was handed out under
  states,    \* the fences of the primary that the replica may have heard of last
  identity,  \* of each server
  reign,     \* what the clock of each server was when the first client came, in tokens; -1 before
  epoch,     \* of each server: how many changes there were when it became primary
  changes,   \* switches and restarts
  changed,   \* when the last change was
  switches,
  granted    \* all tokens, with the epoch of who handed them out and in which order

vars == <<now, ahead, primary, deposed, joined, fence, states, identity, reign, epoch, changes, changed, switches,
          granted>>

-----------------------------------------------------------------------------

Servers == {1, 2}
Other(s) == 3 - s
Max(a, b) == IF a >= b THEN a ELSE b

Clock(s) == (now + ahead[s]) * TokensPerTick

Absent == [last |-> -1, by |-> 0]

Init ==
  /\ now = 0
  /\ ahead \in [Servers -> 0..Skew]
  /\ primary = 1
  /\ deposed = [s \in Servers |-> -1]
  /\ joined = TRUE
  /\ fence = [s \in Servers |-> IF Known THEN [last |-> 0, by |-> 1] ELSE Absent]
  /\ states = {fence[1]}
  /\ identity = [s \in Servers |-> s]
  /\ reign = [s \in Servers |-> IF s = 1 THEN -Lead ELSE -Lead - 1] \* long ago; never
  /\ epoch = [s \in Servers |-> 0]
  /\ changes = 0
  /\ changed = 0
  /\ switches = 0
  /\ granted = {}

Never == -Lead - 1

IsWritten(s) == s = primary \/ (deposed[s] >= 0 /\ now <= deposed[s] + Patience)

Token(s) ==
  LET next == Max(fence[s].last + 1, Clock(s))
  IN CASE Rule = "none" -> next
       [] Rule = "reign" -> Max(next, reign[s] + Lead)
       [] OTHER -> IF fence[s].by = identity[s] THEN next ELSE next + Lead

\* Somebody takes a lock.
Grant(s) ==
  /\ Cardinality(granted) < MaxGrants
  /\ IsWritten(s)
  /\ reign[s] # Never \/ (Unseen /\ s = 1) \* its clients are connected from the beginning
  /\ fence' = [fence EXCEPT ![s] = [last |-> Token(s), by |-> identity[s]]]
  /\ states' = IF s = primary THEN states \cup {fence'[s]} ELSE states
  /\ granted' = granted \cup {[token |-> Token(s), epoch |-> epoch[s], number |-> Cardinality(granted)]}
  /\ UNCHANGED <<now, ahead, primary, deposed, joined, identity, reign, epoch, changes, changed, switches>>

\* The first client comes to a new primary, which stays so for a moment at least.
Arrive ==
  /\ reign[primary] = Never
  /\ reign' = [reign EXCEPT ![primary] = Clock(primary)]
  /\ changed' = now
  /\ UNCHANGED <<now, ahead, primary, deposed, joined, fence, states, identity, epoch, changes, switches, granted>>

Reigns(s) ==
  /\ now > changed
  /\ identity' = [identity EXCEPT ![s] = IF Rule = "process" /\ s # primary THEN @ ELSE changes + 3]
  /\ reign' = [reign EXCEPT ![s] = Never]
  /\ epoch' = [epoch EXCEPT ![s] = changes + 1]
  /\ changes' = changes + 1
  /\ changed' = now

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
  /\ UNCHANGED <<now, ahead, granted>>

\* The old primary becomes a replica: nobody writes to it any more, and it gets all that the new one has.
Join ==
  /\ ~joined
  /\ joined' = TRUE
  /\ deposed' = [deposed EXCEPT ![Other(primary)] = -1]
  /\ states' = {fence[primary]}
  /\ UNCHANGED <<now, ahead, primary, fence, identity, reign, epoch, changes, changed, switches, granted>>

\* The primary is restarted, with its memory, or without.
Restart ==
  /\ changes - switches < MaxRestarts
  /\ Reigns(primary)
  /\ \E left \in {fence[primary], Absent} : fence' = [fence EXCEPT ![primary] = left]
  /\ states' = IF joined THEN {fence'[primary]} ELSE {}
  /\ UNCHANGED <<now, ahead, primary, deposed, joined, switches, granted>>

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ UNCHANGED <<ahead, primary, deposed, joined, fence, states, identity, reign, epoch, changes, changed, switches,
                 granted>>

Next == Tick \/ (\E s \in Servers : Grant(s)) \/ Arrive \/ Switch \/ Join \/ Restart

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
