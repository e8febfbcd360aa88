----------------------------- MODULE SharedLock -----------------------------
(***************************************************************************)
(* One key that is held by one owner exclusively, or by several that share *)
(* it, and the queue of those who wait.  See README.md for what is         *)
(* modelled, what is not, and how to run it.                               *)
(*                                                                         *)
(* Time is counted in ticks, as in Lock.tla: nobody is forced to do        *)
(* anything before the next one.  What clocks differ by is in Lock.tla.    *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Instances,    \* who wants the key
  Modes,        \* how: "x" (exclusive), "s" (shared)
  Ttls,         \* for how long the store keeps a hold that nobody renews; each owner asks for one of these
  Reservation,  \* for how long the key is reserved for an instance
  Delay,        \* for how long a command can be on its way
  Block,        \* how many fencing tokens an exclusive acquisition reserves
  Fresh,        \* whether the next reader after a downgrade draws a token, or has that of the writer
  Deaf,         \* how many of the first in the queue may not listen when the key is passed on
  MaxTime,      \* when the model ends
  MaxOwners,    \* how many owner ids all instances together may use up
  MaxFence,     \* how many tokens the store may hand out
  MaxLate,      \* how many commands may arrive whose replies nobody waits for
  Quits,        \* whether whoever gives up leaves the queue at once, and joins none by a command that comes late
  Account,      \* whether to keep account of owner ids that were given up
  Bug           \* "none", or what is wrong with the protocol: see Bugs

Bugs == {"none",
         "release frees what others read", "last reader wakes nobody", "release ignores the mode", "readers that are gone count",
         "renewal ignores the mode", "renewal revives", "renew what was given up",
         "queue is ignored", "only an empty queue admits", "own place does not count", "admits one",
         "reservation never ends", "any reservation will do",
         "admission shortens the lock", "last ttl counts", "phase repeats a token",
         "downgrade passes on", "downgrade admits nobody", "downgrade has the first token",
         "exclusive until the reply", "acquires after a downgrade",
         "leave admits nobody", "leave with a reservation admits nobody", "grant admits nobody",
         "release and join admits nobody"}

ASSUME Bug \in Bugs

VARIABLES
  now,       \* real time, which is also what the clock of the store shows
  store,     \* what the store has: see Empty
  owners,    \* how many owner ids each instance has used up
  instance,  \* what each instance believes
  late,      \* how many commands arrived late
  downs,     \* downgrades that were sent, with the token of the lease: they may arrive whenever, and how often
  ghost      \* what nobody can see: for the invariants only

vars == <<now, store, owners, instance, late, downs, ghost>>

-----------------------------------------------------------------------------

Largest(S) == CHOOSE a \in S : \A b \in S : a >= b
Max(a, b) == IF a >= b THEN a ELSE b

Nobody == "nobody"
Free == [kind |-> "free", of |-> Nobody, owner |-> 0, token |-> 0, until |-> 0]
Exclusively(i, n, ttl) == [kind |-> "exclusive", of |-> i, owner |-> n, token |-> 0, until |-> now + ttl]
ReservedFor(i) == [kind |-> "reserved", of |-> i, owner |-> 0, token |-> 0, until |-> now + Reservation]

\* The lock; those that read, or are to read (owner 0); who waits, in which mode; the last token that was handed out.
\* Readers whose time is over may stay in the store for ever, also when the lock has another holder.
Empty == [lock |-> Free, readers |-> {}, queue |-> <<>>, fence |-> 0]

Ahead(r) == r.until > now
Present(readers) == IF Bug = "readers that are gone count" THEN readers ELSE {r \in readers : Ahead(r)}

IsShared(s) == s.lock.kind = "shared"
IsHeldBy(s, i, n) == s.lock.kind = "exclusive" /\ s.lock.of = i /\ s.lock.owner = n
Reads(s, i, n) == \E r \in s.readers : r.of = i /\ r.owner = n /\ Ahead(r)

Idle == [state |-> "idle", mode |-> "x", owner |-> 0, ttl |-> 0, deadline |-> 0, token |-> 0, last |-> 0,
         down |-> FALSE] \* whether a downgrade was sent

\* What isValid() answers when it is called now.
SaysHeld(i) == instance[i].state = "holding" /\ now < instance[i].deadline

\* The owner id may yet be renewed or acquired again.
InUse(i, n) == instance[i].owner = n /\ instance[i].state \in {"asking", "holding"}

\* Nobody wants the owner ids of these instances any more.
GivenUp(instances) ==
  IF Account THEN {[of |-> i, owner |-> instance[i].owner, at |-> now] : i \in instances} ELSE {}

Init ==
  /\ now = 0
  /\ store = Empty
  /\ owners = [i \in Instances |-> 0]
  /\ instance = [i \in Instances |-> Idle]
  /\ late = 0
  /\ downs = {}
  /\ ghost = [last |-> 0,         \* the last token of an exclusive lease
              down |-> FALSE,     \* whether it went on as a phase
              largest |-> 0,      \* the largest token of all
              expired |-> FALSE,  \* whether the lock is free because nobody renewed it
              gone |-> {},        \* owner ids that were given up, and when
              breaches |-> {}]    \* which rules were broken

-----------------------------------------------------------------------------
(* What the store does.  Each takes what the store has, and returns what   *)
(* it has then.                                                            *)

Without(queue, i) == SelectSeq(queue, LAMBDA m : m.of # i)

\* Who stands in the queue keeps its place.
Joined(s, i, mode) ==
  [s EXCEPT !.queue = IF \E k \in 1..Len(@) : @[k].of = i
                      THEN [k \in 1..Len(@) |-> IF @[k].of = i THEN [of |-> i, mode |-> mode] ELSE @[k]]
                      ELSE Append(@, [of |-> i, mode |-> mode])]

\* The lock stays for as long as the last of its readers.
WithReaders(s, readers) ==
  [s EXCEPT !.readers = readers, !.lock.until = Largest({r.until : r \in readers})]

HeadReads(s) == s.queue # <<>> /\ Head(s.queue).mode = "s"

\* All readers that wait leave the queue, and may come.
Admitted(s) ==
  LET all == {s.queue[k].of : k \in {k \in 1..Len(s.queue) : s.queue[k].mode = "s"}}
      waiting == IF Bug = "admits one" /\ HeadReads(s) THEN {Head(s.queue).of} ELSE all
      reserved == {[of |-> i, owner |-> 0, until |-> now + Reservation] : i \in waiting}
      readers == {r \in s.readers : ~(r.owner = 0 /\ r.of \in waiting)} \cup reserved
      rest == [s EXCEPT !.queue = SelectSeq(@, LAMBDA m : m.of \notin waiting)]
  IN IF waiting = {} THEN s
     ELSE IF Bug = "admission shortens the lock"
          THEN [rest EXCEPT !.readers = readers, !.lock.until = now + Reservation]
          ELSE WithReaders(rest, readers)

\* No reader stands first while others read.
Settled(s) == IF IsShared(s) /\ HeadReads(s) THEN Admitted(s) ELSE s

\* A phase begins. Whoever found the lock free does not let others pass a writer.
Phase(s, token, readers) ==
  Settled(WithReaders([s EXCEPT !.lock = [Free EXCEPT !.kind = "shared", !.token = token]], readers))

\* The first in the queue who listens is next; or if that is a reader, all readers.
PassedOn(s, deaf) ==
  LET queue == SubSeq(s.queue, deaf + 1, Len(s.queue))
      t == [s EXCEPT !.queue = queue]
  IN IF queue = <<>> THEN [t EXCEPT !.lock = Free]
     ELSE IF Head(queue).mode = "x" THEN [t EXCEPT !.lock = ReservedFor(Head(queue).of), !.queue = Tail(queue)]
     ELSE Admitted([t EXCEPT !.lock = [Free EXCEPT !.kind = "shared"], !.readers = {}])

DeafNow(s) == 0 .. (IF Deaf < Len(s.queue) THEN Deaf ELSE Len(s.queue))

\* Those that read are these from now on.
Remaining(s, readers, deaf) ==
  IF Present(readers) = {} THEN PassedOn([s EXCEPT !.readers = readers], deaf)
  ELSE Settled(WithReaders(s, readers))

\* The instance is neither in the queue nor has it a reservation.
Left(before, i, deaf) ==
  LET s == [before EXCEPT !.queue = Without(@, i)]
      others == {r \in s.readers : r.of # i \/ r.owner # 0}
  IN CASE s.lock.kind = "reserved" /\ s.lock.of = i -> PassedOn(s, deaf)
       [] IsShared(s) /\ others # s.readers ->
            IF Bug = "leave with a reservation admits nobody" /\ Present(others) # {} THEN WithReaders(s, others)
            ELSE Remaining(s, others, deaf)
       [] IsShared(s) /\ Bug # "leave admits nobody" -> Settled(s)
       [] OTHER -> s

-----------------------------------------------------------------------------
(* Instances                                                               *)

UsedUp == LET Sum[S \in SUBSET Instances] == IF S = {} THEN 0
                                             ELSE LET i == CHOOSE i \in S : TRUE IN owners[i] + Sum[S \ {i}]
          IN Sum[Instances]

\* Ask for the key under a new owner id.  What is sent for it arrives at any time from now on, as often as it asks again: when
\* the key is reserved for it, when the holder's time is over, or when it is time for a poll.
Ask(i, mode, ttl) ==
  /\ instance[i].state = "idle"
  /\ UsedUp < MaxOwners
  /\ owners' = [owners EXCEPT ![i] = @ + 1]
  /\ instance' = [instance EXCEPT ![i] = [Idle EXCEPT !.state = "asking", !.mode = mode, !.owner = owners[i] + 1, !.ttl = ttl]]
  /\ UNCHANGED <<now, store, late, downs, ghost>>

\* The holder is done, others in the JVM wait, and the hold is not good enough for them.
Prolong(i) ==
  /\ SaysHeld(i)
  /\ instance[i].down => Bug = "acquires after a downgrade"
  /\ instance' = [instance EXCEPT ![i] = [Idle EXCEPT !.state = "asking", !.owner = instance[i].owner, !.ttl = instance[i].ttl,
                                                      !.mode = IF instance[i].down THEN "x" ELSE instance[i].mode]]
  /\ UNCHANGED <<now, store, owners, late, downs, ghost>>

\* The holder is done, and the next one in the JVM gets the next token.
HandOn(i) ==
  /\ SaysHeld(i)
  /\ instance[i].mode = "x"
  /\ instance[i].token < instance[i].last
  /\ instance' = [instance EXCEPT ![i].token = @ + 1]
  /\ ghost' = [ghost EXCEPT !.last = instance[i].token + 1]
  /\ UNCHANGED <<now, store, owners, late, downs>>

\* An exclusive holder goes on as a reader, from when it sends this: others may read before it hears that they may.
SendDowngrade(i) ==
  /\ SaysHeld(i)
  /\ instance[i].mode = "x"
  /\ ~instance[i].down
  /\ instance' = [instance EXCEPT ![i].down = TRUE,
                                  ![i].mode = IF Bug = "exclusive until the reply" THEN "x" ELSE "s",
                                  ![i].token = 0, ![i].last = 0]
  /\ downs' = downs \cup {[of |-> i, owner |-> instance[i].owner,
                           token |-> IF Fresh THEN 0
                                     ELSE IF Bug = "downgrade has the first token"
                                     THEN instance[i].last - Block + 1 ELSE instance[i].token]}
  /\ UNCHANGED <<now, store, owners, late, ghost>>

\* The lease is closed, the process is killed, or a command timed out: nobody wants the owner id any more,
\* and from now on it may be released (if the process lives), whenever and how often.
GiveUp(i) ==
  /\ instance[i].state # "idle"
  /\ instance' = [instance EXCEPT ![i] = Idle]
  /\ ghost' = [ghost EXCEPT !.gone = @ \cup GivenUp({i})]
  /\ store' = IF Quits THEN Left(store, i, 0) ELSE store
  /\ UNCHANGED <<now, owners, late, downs>>

-----------------------------------------------------------------------------
(* Commands arrive                                                         *)

\* What a command says, which counts from when it was sent.  Of an owner id in use that is now: one that was sent earlier, or
\* whose reply comes later, is worth less, as a lease is that is given up before its deadline.
Command(i, n, mode, ttl) == [of |-> i, owner |-> n, mode |-> mode, ttl |-> ttl]

\* The reply is heard at once, or never.
Answered(c, heard, what) == instance' = IF heard THEN [instance EXCEPT ![c.of] = what] ELSE instance

\* A reader came that neither read nor was admitted, while a writer stood before it.
Passes(i, s, t) ==
  /\ IsShared(s)
  /\ IsShared(t)
  /\ s.queue # <<>>
  /\ Head(s.queue).mode = "x"
  /\ Head(s.queue).of # i
  /\ \E r \in t.readers : /\ r.of = i /\ r.owner # 0 /\ Ahead(r)
                          /\ ~Reads(s, i, r.owner)
                          /\ ~Reads(s, i, 0)

AcquireExclusive(c, heard) ==
  LET me == instance[c.of]
      s == store
      token == s.fence + 1
  IN IF \/ s.lock.kind = "free"
        \/ IsHeldBy(s, c.of, c.owner)
        \/ s.lock.kind = "reserved" /\ s.lock.of = c.of
        \/ Bug = "any reservation will do" /\ IsShared(s) /\ Reads(s, c.of, 0)
     THEN /\ s.fence + Block <= MaxFence
          /\ store' = [s EXCEPT !.lock = Exclusively(c.of, c.owner, c.ttl), !.queue = Without(@, c.of),
                                !.fence = @ + Block]
          /\ Answered(c, heard, [me EXCEPT !.state = "holding", !.deadline = now + c.ttl,
                                           !.token = token, !.last = token + Block - 1])
          /\ ghost' = [ghost EXCEPT !.last = IF heard THEN token ELSE @, !.down = FALSE, !.largest = Max(@, token + Block - 1),
                                    !.breaches = IF token > ghost.largest THEN @ ELSE @ \cup {"tokens"}]
     ELSE /\ store' = Settled(Joined(s, c.of, "x"))
          /\ Answered(c, heard, me)
          /\ UNCHANGED ghost

\* What becomes of a reader.
SharedGrant(c, s) ==
  LET entry == [of |-> c.of, owner |-> c.owner, until |-> now + c.ttl]
      placed == Joined(s, c.of, "s")
      free == s.lock.kind = "free" \/ (s.lock.kind = "reserved" /\ s.lock.of = c.of)
      reserved == \E r \in s.readers : r.of = c.of /\ r.owner = 0 /\ (Ahead(r) \/ Bug = "reservation never ends")
      may == \/ Reads(s, c.of, c.owner)
             \/ reserved
             \/ CASE Bug = "only an empty queue admits" -> s.queue = <<>>
                  [] Bug = "own place does not count" -> HeadReads(Joined([s EXCEPT !.queue = Without(@, c.of)], c.of, "s"))
                  [] OTHER -> HeadReads(placed)
             \/ Bug = "queue is ignored"
      token == IF s.lock.token = 0 \/ free
               THEN IF Bug = "phase repeats a token" THEN Max(1, s.fence) ELSE s.fence + 1
               ELSE s.lock.token
      others == {r \in s.readers : r.of # c.of \/ r.owner \notin {0, c.owner}}
      t == [s EXCEPT !.queue = Without(@, c.of), !.fence = Max(@, token), !.lock.token = token]
  IN CASE free -> [granted |-> TRUE, token |-> token, store |-> Phase(t, token, {entry})]
       [] IsShared(s) /\ may ->
            [granted |-> TRUE, token |-> token,
             store |-> LET u == IF Bug = "last ttl counts"
                                THEN [t EXCEPT !.readers = others \cup {entry}, !.lock.until = entry.until]
                                ELSE WithReaders(t, others \cup {entry})
                       IN IF Bug = "grant admits nobody" THEN u ELSE Settled(u)]
       [] OTHER -> [granted |-> FALSE, token |-> 0,
                    store |-> IF Bug \in {"only an empty queue admits", "own place does not count"} THEN placed
                              ELSE Settled(placed)]

AcquireShared(c, heard) ==
  LET me == instance[c.of]
      outcome == SharedGrant(c, store)
  IN /\ outcome.store.fence <= MaxFence
     /\ store' = outcome.store
     /\ Answered(c, heard, IF outcome.granted THEN [me EXCEPT !.state = "holding", !.deadline = now + c.ttl] ELSE me)
     /\ ghost' = IF ~outcome.granted THEN ghost
                 ELSE LET new == store.lock.kind # "shared" \/ store.lock.token = 0
                          right == IF new THEN outcome.token > ghost.largest
                                   ELSE outcome.token > ghost.last \/ (~Fresh /\ ghost.down /\ outcome.token = ghost.last)
                      IN [ghost EXCEPT !.largest = Max(@, outcome.token),
                                       !.down = IF new THEN FALSE ELSE @,
                                       !.breaches = (IF right THEN @ ELSE @ \cup {"tokens"})
                                                    \cup (IF Passes(c.of, store, store') THEN {"passes"} ELSE {})]

\* A renewal does not say how the key is held: a downgrade may be under way.
ExecuteRenew(c, heard) ==
  LET s == store
      me == instance[c.of]
      entry == [of |-> c.of, owner |-> c.owner, until |-> now + c.ttl]
      others == {r \in s.readers : r.of # c.of \/ r.owner # c.owner}
      lingers == others # s.readers
      reads == \/ IsShared(s) /\ (Reads(s, c.of, c.owner) \/ Bug = "renewal revives")
               \/ Bug = "renewal ignores the mode" /\ s.lock.kind # "free" /\ lingers
      held == IsHeldBy(s, c.of, c.owner)
  IN /\ store' = CASE held -> [s EXCEPT !.lock.until = Max(@, now + c.ttl)]
                   [] reads -> WithReaders(s, others \cup {entry})
                   [] OTHER -> s
     /\ Answered(c, heard, IF held \/ reads THEN [me EXCEPT !.deadline = now + c.ttl] ELSE Idle)
     /\ ghost' = [ghost EXCEPT !.breaches = IF Passes(c.of, s, store') THEN @ \cup {"passes"} ELSE @,
                               !.gone = IF heard /\ ~(held \/ reads) THEN @ \cup GivenUp({c.of}) ELSE @]

Acquire(c, heard) ==
  IF c.mode = "x" THEN AcquireExclusive(c, heard) ELSE AcquireShared(c, heard)

\* A command of an owner id in use arrives.
Arrive(i) ==
  LET me == instance[i]
  IN /\ \E heard \in BOOLEAN :
          \/ me.state = "asking" /\ Acquire(Command(i, me.owner, me.mode, me.ttl), heard)
          \/ SaysHeld(i) /\ ExecuteRenew(Command(i, me.owner, me.mode, me.ttl), heard)
     /\ UNCHANGED <<now, owners, late, downs>>

\* A command arrives whose reply nobody waits for: of an owner id that was given up, or that acquired by another one.
ArriveLate(i, n) ==
  /\ late < MaxLate
  /\ late' = late + 1
  /\ n \in 1..owners[i]
  /\ \E mode \in Modes, ttl \in Ttls :
       LET c == Command(i, n, mode, ttl)
           me == instance[i]
       IN \/ /\ ~InUse(i, n)
             /\ Account => \A g \in ghost.gone : g.of = i /\ g.owner = n => now <= g.at + Delay \/ Bug = "renew what was given up"
             /\ (Bug # "renew what was given up" /\ Acquire(c, FALSE)) \/ ExecuteRenew(c, FALSE)
          \/ /\ SaysHeld(i) /\ me.owner = n /\ ttl = me.ttl /\ (mode = me.mode \/ me.down)
             /\ Acquire(c, FALSE)
  /\ UNCHANGED <<now, owners, downs>>

Downgrade(d, deaf) ==
  LET s == store
      token == IF Fresh THEN 0 ELSE d.token
      t == [s EXCEPT !.lock = [Free EXCEPT !.kind = "shared", !.token = token, !.until = s.lock.until],
                     !.readers = {[of |-> d.of, owner |-> d.owner, until |-> s.lock.until]}]
      right == Fresh \/ token >= ghost.last
  IN /\ IsHeldBy(s, d.of, d.owner)
     /\ deaf \in DeafNow(s)
     /\ store' = CASE Bug = "downgrade passes on" -> IF s.queue = <<>> THEN t ELSE PassedOn(t, deaf)
                   [] Bug = "downgrade admits nobody" -> t
                   [] OTHER -> Admitted(t)
     /\ ghost' = [ghost EXCEPT !.down = TRUE,
                               !.breaches = IF right THEN @ ELSE @ \cup {"tokens"}]
     /\ UNCHANGED <<now, owners, instance, late, downs>>

\* A release arrives: the one that gives a lease back, or that compensates for an unknown outcome, for the first time or
\* again, however the key is held.  It is on its way from when its owner id was given up, for ever.  The instance may join
\* the queue by it.
Release(i, n, join, deaf) ==
  LET s == IF join = "no" THEN store ELSE Joined(store, i, join)
      others == {r \in s.readers : r.of # i \/ r.owner # n}
      lingers == others # s.readers
      shared == IsShared(s) \/ (Bug = "release ignores the mode" /\ s.lock.kind # "free")
  IN /\ n \in 1..owners[i]
     /\ ~InUse(i, n)
     /\ Quits => join = "no" \/ (instance[i].state = "asking" /\ instance[i].mode = join)
     /\ deaf \in DeafNow(s)
     /\ \/ /\ IsHeldBy(s, i, n)
           /\ store' = PassedOn(s, deaf)
        \/ /\ store.lock.kind = "free" \* it expired, and nobody passed it on
           /\ store.queue # <<>>
           /\ join = "no"
           /\ store' = PassedOn(store, deaf)
        \/ /\ shared
           /\ lingers
           /\ ~IsHeldBy(s, i, n)
           /\ store' = CASE Bug = "release frees what others read" -> PassedOn([s EXCEPT !.readers = others], deaf)
                         [] Bug = "last reader wakes nobody" /\ Present(others) = {} ->
                              [s EXCEPT !.lock = Free, !.readers = {}]
                         [] Bug = "release and join admits nobody" /\ Present(others) # {} -> WithReaders(s, others)
                         [] OTHER -> Remaining(s, others, deaf)
     /\ ghost' = [ghost EXCEPT !.expired = FALSE]
     /\ UNCHANGED <<now, owners, instance, late, downs>>

\* An instance leaves the queue, and has no use for what is reserved for it.  That may come late, too.
Leave(i, deaf) ==
  /\ deaf \in DeafNow([store EXCEPT !.queue = Without(@, i)])
  /\ store' = Left(store, i, deaf)
  /\ store' # store
  /\ ghost' = [ghost EXCEPT !.expired = IF store'.lock = store.lock THEN @ ELSE FALSE]
  /\ UNCHANGED <<now, owners, instance, late, downs>>

-----------------------------------------------------------------------------
(* Time                                                                    *)

\* All instants at which something is over are the same.
Past(r) == IF r.until <= now + 1 THEN [r EXCEPT !.until = 0] ELSE r

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ store' = [store EXCEPT !.lock = IF @.until <= now' THEN Free ELSE @,
                            !.readers = {Past(r) : r \in @}]
  /\ LET lost == {i \in Instances : instance[i].state = "holding" /\ instance[i].deadline <= now'}
     IN /\ instance' = [i \in Instances |-> IF i \in lost THEN Idle ELSE instance[i]]
        /\ ghost' = [ghost EXCEPT !.expired = @ \/ (store.lock # Free /\ store'.lock = Free),
                                  !.gone = @ \cup GivenUp(lost)]
  /\ UNCHANGED <<owners, late, downs>>

Next ==
  \/ Tick
  \/ \E i \in Instances :
       \/ \E mode \in Modes, ttl \in Ttls : Ask(i, mode, ttl)
       \/ Prolong(i) \/ HandOn(i) \/ SendDowngrade(i) \/ GiveUp(i) \/ Arrive(i)
       \/ \E n \in 1..owners[i] :
            \/ ArriveLate(i, n)
            \/ \E join \in Modes \cup {"no"}, deaf \in 0..Deaf : Release(i, n, join, deaf)
       \/ \E deaf \in 0..Deaf : Leave(i, deaf)
  \/ \E d \in downs : Downgrade(d, 0)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Instances)

-----------------------------------------------------------------------------
(* What must hold                                                          *)

TypeOK ==
  /\ now \in 0..MaxTime
  /\ store.lock.kind \in {"free", "exclusive", "reserved", "shared"}
  /\ store.lock = Free \/ store.lock.until > now
  /\ \A j, k \in 1..Len(store.queue) : store.queue[j].of = store.queue[k].of => j = k
  /\ \A r, q \in store.readers : r.of = q.of /\ r.owner = q.owner => r = q

\* Nobody else holds what somebody holds exclusively.
Exclusive == \A i, j \in Instances :
               SaysHeld(i) /\ SaysHeld(j) /\ i # j => instance[i].mode = "s" /\ instance[j].mode = "s"

\* Whoever is within its deadline holds the key at the store.
Backed == \A i \in Instances :
            SaysHeld(i) => \/ IsHeldBy(store, i, instance[i].owner)
                           \/ instance[i].mode = "s" /\ IsShared(store) /\ Reads(store, i, instance[i].owner)

\* A lock is shared as long as somebody reads, or is to.
Lasts == IsShared(store) => /\ \E r \in store.readers : Ahead(r)
                            /\ store.lock.until = Largest({r.until : r \in store.readers})

\* An exclusive holder's token is larger than all before.  A phase's is larger than those of all exclusive holders before it,
\* but for the one that it follows by a downgrade, which has the same without Fresh.
TokensGrow == "tokens" \notin ghost.breaches

\* A reader that comes while a writer waits does not pass it.
InTurn == "passes" \notin ghost.breaches

\* Who stands first and wants to read does not wait for those that read.
NoReaderFirst == IsShared(store) => ~HeadReads(store)

\* Nobody waits for a lock that was given back.
Woken == store.lock = Free /\ ~ghost.expired => store.queue = <<>>

\* Readers wait for nobody but a writer that waits.
NobodyBlocks == IsShared(store) /\ store.queue # <<>> =>
                  LET first == instance[Head(store.queue).of] IN first.state = "asking" /\ first.mode = "x"

\* What holds within the assumptions.
Promised == Quits => NobodyBlocks

\* An owner id that nobody wants is in the store no longer than a ttl after the last command for it can arrive.
NoOrphan ==
  \A g \in ghost.gone :
    LET latest == g.at + Delay + Largest(Ttls)
    IN /\ IsHeldBy(store, g.of, g.owner) => store.lock.until <= latest
       /\ \A r \in store.readers : r.of = g.of /\ r.owner = g.owner => r.until <= latest

=============================================================================
