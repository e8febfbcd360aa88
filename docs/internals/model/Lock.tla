-------------------------------- MODULE Lock --------------------------------
(***************************************************************************)
(* One key, a Redis, and instances that want the key.  See README.md for   *)
(* what is modelled, what is not, and how to run it.                       *)
(*                                                                         *)
(* Time is counted in ticks.  Whatever happens between two ticks takes no  *)
(* time; nobody is forced to do anything, so that a process that is        *)
(* stopped, a Redis that hangs and a thread that is late need no action of *)
(* their own: they are the behaviours in which the clock ticks on first.   *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Instances,    \* who wants the key
  Ttl,          \* for how long Redis keeps a key that nobody renews
  Margin,       \* what an instance keeps back of the ttl
  MaxLag,       \* by how much a local clock can fall behind; safe up to Margin
  Reservation,  \* for how long a key is reserved for the next instance
  Term,         \* for how long a release grants the key to the next instance; 0 if it only reserves it
  Delay,        \* for how long a command can be on its way, and its reply
  Block,        \* how many fencing tokens one acquisition reserves
  TokensPerTick,\* how far the clock of Redis, counted in tokens, goes in a tick
  MaxTime,      \* when the model ends
  MaxOwners,    \* how many owner ids all instances together may use up
  MaxGrants,    \* how many acquire commands Redis may grant, repeated ones included
  MaxInFlight,  \* how many commands of an instance may be on their way
  MaxLosses,    \* how often Redis may lose the key, or its memory
  Writes,       \* whether holders write to a fenced resource
  Longer,       \* the ttl that a holder may ask for in an extension; 0 if it does not
  MaxExtensions,\* how many extensions there may be
  Account,      \* whether to keep account of what was told lost, and of orphans
  Bug           \* "none", or what is wrong with the protocol: see Bugs

Bugs == {"none", "count from reply", "release without owner check", "unknown is held",
         "late renewal revives", "renew what was lost", "late reply is held", "repeat token",
         "token is a counter", "resource takes all",
         "extension counts from reply", "late extension revives", "renewal after extension is shorter",
         "unknown renewal is no doubt", "doubt ends before the reply",
         "grant counts from its receipt", "old grant is used", "grant is used after its release"}

ASSUME Bug \in Bugs

VARIABLES
  now,       \* real time, which is also what the clock of Redis shows
  key,       \* what Redis has: who holds the key, or whom it is reserved for
  fence,     \* the last fencing token that Redis handed out
  losses,    \* how often Redis lost the key or its memory
  lag,       \* by how much each local clock is behind
  owners,    \* how many owner ids each instance has used up
  instance,  \* what each instance believes
  net,       \* commands on their way, and replies
  write,     \* a write of each instance that is on its way to the resource
  resource,  \* the last write that the resource has accepted
  extensions,\* how many there were
  ghost      \* what nobody can see: for the invariants only

vars == <<now, key, fence, losses, lag, owners, instance, net, write, resource, extensions, ghost>>

-----------------------------------------------------------------------------

Max(a, b) == IF a >= b THEN a ELSE b

Nobody == "nobody"
Free == [of |-> Nobody, owner |-> 0, until |-> 0]
Reserved(i) == [of |-> i, owner |-> 0, until |-> now + Reservation]
HeldFor(i, n, ttl) == [of |-> i, owner |-> n, until |-> now + ttl]
Held(i, n) == HeldFor(i, n, Ttl)

HeldBy(i, n) == key.of = i /\ key.owner = n
IsReserved == key.of # Nobody /\ key.owner = 0

\* The monotonic clock of an instance.  Only differences of it are ever used.
Local(i) == now - lag[i]

Idle == [state |-> "idle", owner |-> 0, deadline |-> 0, token |-> 0, last |-> 0, order |-> 0, told |-> FALSE,
         aim |-> 0,       \* up to when the key stays if the last command does what it says; 0 without extensions
         doubt |-> 0,     \* the shortest ttl that a command of unknown outcome may still set; 0 if there is none
         since |-> 0,     \* when it last asked while it waits; the grant that ends the wait is no older
         next |-> 0,      \* what the next token was then
         doubtEnds |-> 0] \* when it cannot any more; 0 as long as nothing was answered since
Waiting(since, next) == [Idle EXCEPT !.state = "waiting", !.since = since, !.next = next]
Asking(n) == [Idle EXCEPT !.state = "asking", !.owner = n]
Lost(i) == IF ~Account THEN Idle
           ELSE [Idle EXCEPT !.state = "lost", !.owner = instance[i].owner, !.told = TRUE]

\* What isValid() answers when it is called now.
SaysHeld(i) == instance[i].state = "holding" /\ Local(i) < instance[i].deadline

\* The owner id may yet be renewed or acquired again.
InUse(i, n) == instance[i].owner = n /\ instance[i].state \in {"asking", "holding"}

NoWrite == [token |-> 0, order |-> 0]

Init ==
  /\ now = 0
  /\ key = Free
  /\ fence = 0
  /\ losses = 0
  /\ lag = [i \in Instances |-> 0]
  /\ owners = [i \in Instances |-> 0]
  /\ instance = [i \in Instances |-> Idle]
  /\ net = {}
  /\ write = [i \in Instances |-> NoWrite]
  /\ resource = NoWrite
  /\ extensions = 0
  /\ ghost = [order |-> 0,         \* acquire commands that Redis has granted
              lastToken |-> 0,     \* the largest token Redis ever handed out
              lastGranted |-> 0,   \* the token of the last lease
              orphanSince |-> -1,  \* since when nobody wants the owner id that holds the key
              breaches |-> {}]     \* which rules were broken

-----------------------------------------------------------------------------
(* Instances                                                               *)

Room(i) == Cardinality({c \in net : c.from = i /\ ~c.ghost /\ c.op # "granted"}) < MaxInFlight

Unanswered == [kind |-> "none", token |-> 0, order |-> 0]

SendFor(op, i, n, ttl) ==
  net \cup {[op |-> op, from |-> i, owner |-> n, sent |-> Local(i), ttl |-> ttl, ghost |-> FALSE, reply |-> Unanswered]}
Send(op, i, n) == SendFor(op, i, n, Ttl)

\* The ttl to ask for: more than wanted if the key would stay for less time than it does.
Asked(i, ttl) == IF Longer = 0 \/ Bug = "renewal after extension is shorter" THEN ttl
                 ELSE Max(ttl, instance[i].aim - Local(i))
Aim(i, ttl) == IF Longer = 0 THEN 0 ELSE Local(i) + ttl

\* The key goes from one owner id that is in use to one that is not, or back.
Orphaned(k, is) ==
  IF ~Account \/ k.of = Nobody \/ k.owner = 0 THEN -1
  ELSE IF is[k.of].owner = k.owner /\ is[k.of].state \in {"asking", "holding"} THEN -1
  ELSE IF k.of = key.of /\ k.owner = key.owner /\ ghost.orphanSince >= 0 THEN ghost.orphanSince
  ELSE now

UsedUp == LET Sum[S \in SUBSET Instances] == IF S = {} THEN 0
                                             ELSE LET i == CHOOSE i \in S : TRUE IN owners[i] + Sum[S \ {i}]
          IN Sum[Instances]

Become(i, what) ==
  /\ instance' = [instance EXCEPT ![i] = what]

\* A lease with this token begins.
Granted(token) ==
  [ghost EXCEPT !.lastGranted = token,
                !.breaches = IF token > ghost.lastGranted THEN @ ELSE @ \cup {"grants"},
                !.orphanSince = Orphaned(key', instance')]

Noted == ghost' = [ghost EXCEPT !.orphanSince = Orphaned(key', instance')]

\* Ask for the key under a new owner id.
Ask(i) ==
  /\ instance[i].state = "idle"
  /\ UsedUp < MaxOwners
  /\ Room(i)
  /\ owners' = [owners EXCEPT ![i] = @ + 1]
  /\ Become(i, Asking(owners[i] + 1))
  /\ net' = Send("acquire", i, owners[i] + 1)
  /\ UNCHANGED <<now, key, fence, losses, lag, write, resource, extensions>>
  /\ Noted

\* The holder is done, others in the JVM wait, and the hold is not good enough for them.
Prolong(i) ==
  /\ SaysHeld(i)
  /\ Room(i)
  /\ Become(i, Asking(instance[i].owner))
  /\ net' = Send("acquire", i, instance[i].owner)
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, write, resource, extensions>>
  /\ Noted

\* The holder is done, and the next one in the JVM gets the next token.
HandOn(i) ==
  /\ SaysHeld(i)
  /\ instance[i].token < instance[i].last
  /\ LET token == IF Bug = "repeat token" THEN instance[i].token ELSE instance[i].token + 1
     IN /\ Become(i, [instance[i] EXCEPT !.token = token])
        /\ UNCHANGED <<now, key, fence, losses, lag, owners, net, write, resource, extensions>>
        /\ ghost' = Granted(token)

Renew(i) ==
  /\ instance[i].state \in (IF Bug = "renew what was lost" THEN {"holding", "lost"} ELSE {"holding"})
  /\ Room(i)
  /\ net' = SendFor("renew", i, instance[i].owner, Asked(i, Ttl))
  /\ instance' = [instance EXCEPT ![i].aim = Aim(i, Asked(i, Ttl))]
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, write, resource, extensions, ghost>>

\* The holder asks for a longer ttl.
Extend(i) ==
  /\ SaysHeld(i)
  /\ Room(i)
  /\ extensions < MaxExtensions
  /\ extensions' = extensions + 1
  /\ net' = SendFor("extend", i, instance[i].owner, Asked(i, Longer))
  /\ instance' = [instance EXCEPT ![i].aim = Aim(i, Asked(i, Longer)), ![i].last = instance[i].token]
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, write, resource, ghost>>

\* A renewal fails, by a timeout or as the connection is lost: it may yet be executed, after later ones.
Doubt(c) ==
  /\ Longer > 0
  /\ c.op \in {"renew", "extend"}
  /\ ~c.ghost
  /\ net' = (net \ {c}) \cup (IF c.reply = Unanswered THEN {[c EXCEPT !.ghost = TRUE]} ELSE {})
  /\ instance' = [instance EXCEPT ![c.from] =
       IF @.state = "holding" /\ @.owner = c.owner /\ Bug # "unknown renewal is no doubt"
       THEN [@ EXCEPT !.doubt = IF @ = 0 \/ c.ttl < @ THEN c.ttl ELSE @, !.doubtEnds = 0] ELSE @]
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, write, resource, extensions, ghost>>

\* Somebody looks at the deadline, and it has passed.
Overdue(i) ==
  /\ Account
  /\ instance[i].state = "holding"
  /\ ~SaysHeld(i)
  /\ Become(i, Lost(i))
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, net, write, resource, extensions>>
  /\ Noted

\* The lease is closed, the process is killed, or a command timed out: nobody wants the owner id
\* any more, and from now on it may be released (if the process lives), whenever and how often.
GiveUp(i) ==
  /\ instance[i].state # "idle"
  /\ IF Bug = "unknown is held" /\ instance[i].state = "asking"
     THEN \E c \in net : /\ c.op = "acquire" /\ c.from = i /\ c.owner = instance[i].owner
                         /\ Become(i, [Idle EXCEPT !.state = "holding", !.owner = instance[i].owner,
                                                   !.deadline = c.sent + Ttl - Margin])
     ELSE Become(i, Idle)
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, net, write, resource, extensions>>
  /\ Noted

\* The holder gives the key back, for others to have it first, and waits for its next turn.
Requeue(i) ==
  /\ Term > 0
  /\ SaysHeld(i)
  /\ Become(i, Waiting(Local(i), instance[i].last + 1))
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, net, write, resource, extensions>>
  /\ Noted

\* The message of a grant arrives where somebody waits: it is used at once, if it was made after the last
\* question; or the key is asked for by the owner id that it was granted to, also by whoever gave up asking and
\* is to ask again; or it is in vain.
ReceiveGrant(c) ==
  LET i == c.from
      me == instance[i]
      deadline == (IF Bug = "grant counts from its receipt" THEN Local(i) ELSE me.since) + Term - Margin
      used == [Idle EXCEPT !.state = "holding", !.owner = c.owner, !.deadline = deadline, !.token = c.reply.token,
                           !.last = c.reply.token + Block - 1, !.order = c.reply.order,
                           !.aim = IF Longer = 0 THEN 0 ELSE me.since + Term]
  IN /\ UNCHANGED key
     /\ \/ /\ me.state = "waiting"
           /\ c.reply.token >= me.next \/ Bug = "old grant is used"
           /\ Local(i) < deadline
           /\ Become(i, used)
           /\ net' = net \ {c}
           /\ ghost' = Granted(c.reply.token)
        \/ /\ me.state \in {"waiting", "idle"}
           /\ Room(i)
           /\ Become(i, Asking(c.owner))
           /\ net' = (net \ {c}) \cup {[c EXCEPT !.op = "acquire", !.sent = Local(i), !.ttl = Ttl, !.reply = Unanswered]}
           /\ Noted
        \/ /\ net' = net \ {c}
           /\ UNCHANGED <<instance, ghost>>

\* A reply arrives.
Receive(c) ==
  /\ c.reply # Unanswered
  /\ LET i == c.from
         me == instance[i]
         doubtful == /\ me.doubt # 0
                     /\ \/ me.doubtEnds = 0
                        \/ (IF Bug = "doubt ends before the reply" THEN Local(i) ELSE c.sent) < me.doubtEnds
         counted == IF doubtful /\ me.doubt < c.ttl THEN me.doubt ELSE c.ttl
         from == IF Bug = "count from reply" \/ (Bug = "extension counts from reply" /\ c.op = "extend") THEN Local(i)
                 ELSE c.sent
         deadline == from + counted - Margin
     IN
     CASE c.op = "granted" -> ReceiveGrant(c)
       [] c.op = "acquire" /\ me.state = "asking" /\ me.owner = c.owner /\ c.reply.kind = "busy" ->
            /\ Become(i, Waiting(c.sent, c.reply.token))
            /\ net' = net \ {c}
            /\ UNCHANGED key
            /\ Noted
       [] c.op = "acquire" /\ me.state = "asking" /\ me.owner = c.owner /\ c.reply.kind = "done" ->
            IF Local(i) < deadline \/ Bug = "late reply is held"
            THEN /\ Become(i, [Idle EXCEPT !.state = "holding", !.owner = c.owner,
                                 !.deadline = IF Bug = "late reply is held" THEN Max(deadline, Local(i) + 1)
                                              ELSE deadline,
                                 !.token = c.reply.token, !.last = c.reply.token + Block - 1,
                                 !.order = c.reply.order,
                                 !.aim = IF Longer = 0 THEN 0 ELSE c.sent + Ttl])
                 /\ net' = net \ {c}
                 /\ UNCHANGED key
                 /\ ghost' = Granted(c.reply.token)
            ELSE \* too late: ask again by the same owner id, or give up
                 /\ \/ /\ Become(i, me)
                       /\ net' = (net \ {c}) \cup {[c EXCEPT !.sent = Local(i), !.reply = Unanswered]}
                    \/ /\ Become(i, Idle)
                       /\ net' = net \ {c}
                 /\ UNCHANGED key
                 /\ Noted
       [] c.op \in {"renew", "extend"} /\ me.state = "holding" /\ me.owner = c.owner ->
            /\ Become(i, IF ~SaysHeld(i) \/ c.reply.kind = "refused" THEN Lost(i)
                         ELSE [me EXCEPT !.deadline = Max(@, deadline),
                                         !.doubt = IF doubtful THEN @ ELSE 0,
                                         !.doubtEnds = IF ~doubtful THEN 0
                                                       ELSE IF @ = 0 THEN Local(i) + Delay + 1 ELSE @])
            /\ net' = net \ {c}
            /\ UNCHANGED key
            /\ Noted
       [] me.state = "lost" /\ me.owner = c.owner /\ c.reply.kind = "done"
            /\ \/ Bug = "late renewal revives" /\ c.op = "renew"
               \/ Bug = "late extension revives" /\ c.op = "extend" ->
            /\ Become(i, [me EXCEPT !.state = "holding", !.deadline = deadline])
            /\ net' = net \ {c}
            /\ UNCHANGED key
            /\ Noted
       [] OTHER ->
            /\ net' = net \ {c}
            /\ UNCHANGED <<instance, key, ghost>>
  /\ UNCHANGED <<now, fence, losses, lag, owners, write, resource, extensions>>

-----------------------------------------------------------------------------
(* Redis                                                                   *)

\* What a command answers, and whether it is executed for good: without an answer it is still on its
\* way, to be executed again by a client that repeats it.
Answered(c, reply, again) ==
  IF again THEN net
  ELSE IF ~c.ghost /\ (InUse(c.from, c.owner) \/ Bug \in {"late renewal revives", "late extension revives"}) THEN (net \ {c}) \cup {[c EXCEPT !.reply = reply]}
  ELSE net \ {c} \* nobody would listen

NextToken == IF Bug = "token is a counter" THEN fence + 1 ELSE Max(fence + 1, now * TokensPerTick)

ExecuteAcquire(c, again) ==
  /\ c.op = "acquire"
  /\ ghost.order < MaxGrants
  /\ IF \/ key = Free
        \/ HeldBy(c.from, c.owner)
        \/ IsReserved /\ key.of = c.from
     THEN LET first == NextToken
              order == ghost.order + 1
          IN /\ key' = Held(c.from, c.owner)
             /\ fence' = first + Block - 1
             /\ net' = Answered(c, [kind |-> "done", token |-> first, order |-> order], again)
             /\ ghost' = [ghost EXCEPT
                            !.order = order,
                            !.lastToken = Max(@, first + Block - 1),
                            !.breaches = IF first > ghost.lastToken THEN @ ELSE @ \cup {"blocks"},
                            !.orphanSince = Orphaned(key', instance)]
     ELSE \* the asker gives up, or asks again: see GiveUp
          \* or waits, if releases grant the key
          /\ ~again
          /\ net' = IF Term = 0 THEN net \ {c} ELSE Answered(c, [kind |-> "busy", token |-> NextToken, order |-> 0], FALSE)
          /\ UNCHANGED <<key, fence, ghost>>

ExecuteRenew(c, again) ==
  /\ c.op \in {"renew", "extend"}
  /\ again => ~c.ghost
  /\ IF HeldBy(c.from, c.owner)
     THEN /\ key' = HeldFor(c.from, c.owner, c.ttl)
          /\ net' = Answered(c, [Unanswered EXCEPT !.kind = "done"], again)
     ELSE /\ key' = key
          /\ net' = Answered(c, [Unanswered EXCEPT !.kind = "refused"], again)
  /\ UNCHANGED <<fence, ghost>>

Execute(c, again) ==
  /\ c.reply = Unanswered
  /\ ExecuteAcquire(c, again) \/ ExecuteRenew(c, again)
  /\ UNCHANGED <<now, losses, lag, owners, instance, write, resource, extensions>>

\* The key is granted to whoever is next, by an owner id of its own, with tokens, for the term.
Grant(j) ==
  /\ Term > 0
  /\ UsedUp < MaxOwners
  /\ ghost.order < MaxGrants
  /\ LET n == owners[j] + 1
         order == ghost.order + 1
         reply == [kind |-> "granted", token |-> NextToken, order |-> order]
     IN /\ key' = HeldFor(j, n, Term)
        /\ owners' = [owners EXCEPT ![j] = n]
        /\ fence' = NextToken + Block - 1
        /\ net' = net \cup {[op |-> "granted", from |-> j, owner |-> n, sent |-> Local(j), ttl |-> Term, ghost |-> FALSE,
                             reply |-> reply]}
        /\ ghost' = [ghost EXCEPT !.order = order,
                                  !.lastToken = Max(@, NextToken + Block - 1),
                                  !.breaches = IF NextToken > ghost.lastToken THEN @ ELSE @ \cup {"blocks"},
                                  !.orphanSince = Orphaned(key', instance)]

\* The key is deleted, or reserved for whoever is next, or granted.
Pass ==
  /\ \/ /\ key' = Free \/ \E j \in Instances : key' = Reserved(j)
        /\ UNCHANGED <<fence, owners, net>>
        /\ Noted
     \/ \E j \in Instances : Grant(j)
  /\ UNCHANGED <<now, losses, lag, instance, write, resource, extensions>>

\* A release arrives: the one that gives a lease back, or that compensates for an unknown outcome,
\* for the first time or again.  It is on its way from when its owner id was given up, for ever.
Release(i, n) ==
  /\ n \in 1..owners[i]
  /\ ~InUse(i, n)
  \* nobody releases a grant before its message is there
  /\ Bug = "grant is used after its release" \/ ~\E c \in net : c.op = "granted" /\ c.from = i /\ c.owner = n
  /\ \/ HeldBy(i, n)
     \/ Bug = "release without owner check" /\ key # Free
  /\ Pass

\* An instance leaves the queue, and has no use for what is reserved for it. Or a release finds a key that expired, which
\* nobody passed on.
Leave == (IsReserved \/ key = Free) /\ Pass

\* The key is evicted or deleted, or expires early as the clock of Redis steps forward: it alone is
\* gone.  Or all memory is, by a restart or a fail-over; by then the clock has passed what was handed out.
Lose ==
  /\ losses < MaxLosses
  /\ losses' = losses + 1
  /\ key' = Free
  /\ \/ fence' = fence
     \/ /\ Bug = "token is a counter" \/ now * TokensPerTick > ghost.lastToken
        /\ fence' = 0
  /\ UNCHANGED <<now, lag, owners, instance, net, write, resource, extensions>>
  /\ Noted

-----------------------------------------------------------------------------
(* The resource                                                            *)

\* A holder asks whether it still holds the key, is told so, and writes.
Write(i) ==
  /\ Writes
  /\ SaysHeld(i)
  /\ write[i] = NoWrite
  /\ write' = [write EXCEPT ![i] = [token |-> instance[i].token, order |-> instance[i].order]]
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, instance, net, resource, extensions, ghost>>

\* The write arrives, much later perhaps.
Arrive(i) ==
  /\ write[i] # NoWrite
  /\ write' = [write EXCEPT ![i] = NoWrite]
  /\ IF write[i].token >= resource.token \/ Bug = "resource takes all"
     THEN /\ resource' = write[i]
          /\ ghost' = [ghost EXCEPT !.breaches = IF write[i].order >= resource.order THEN @ ELSE @ \cup {"writes"}]
     ELSE UNCHANGED <<resource, ghost>>
  /\ UNCHANGED <<now, key, fence, losses, lag, owners, instance, net, extensions>>

-----------------------------------------------------------------------------
(* Time                                                                    *)

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ \E l \in [Instances -> 0..MaxLag] : (\A i \in Instances : l[i] <= lag[i] + 1) /\ lag' = l
  /\ key' = IF key.until <= now' THEN Free ELSE key
  /\ net' = {c \in net : now' - lag'[c.from] - c.sent <= Delay}
  /\ UNCHANGED <<fence, losses, owners, instance, write, resource, extensions>>
  /\ Noted

Next ==
  \/ Tick
  \/ \E i \in Instances :
       \/ Ask(i) \/ Prolong(i) \/ HandOn(i) \/ Renew(i) \/ Extend(i) \/ Overdue(i) \/ GiveUp(i) \/ Requeue(i)
       \/ Write(i) \/ Arrive(i)
       \/ \E n \in 1..owners[i] : Release(i, n)
  \/ \E c \in net : Receive(c) \/ Doubt(c) \/ (\E again \in BOOLEAN : Execute(c, again))
  \/ Leave
  \/ Lose

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Instances)

-----------------------------------------------------------------------------
(* What must hold                                                          *)

TypeOK ==
  /\ now \in 0..MaxTime
  /\ lag \in [Instances -> 0..MaxLag]
  /\ owners \in [Instances -> 0..MaxOwners]
  /\ \A i \in Instances : instance[i].state \in {"idle", "asking", "waiting", "holding", "lost"}
  /\ key = Free \/ (key.of \in Instances /\ key.owner \in 0..owners[key.of] /\ key.until > now)

\* No two holders are within their deadlines.
Exclusive == \A i, j \in Instances : SaysHeld(i) /\ SaysHeld(j) => i = j

\* Whoever is within its deadline holds the key at Redis.
Backed == \A i \in Instances : SaysHeld(i) => HeldBy(i, instance[i].owner)

\* Each lease has a larger token than every lease before.
GrantsGrow == "grants" \notin ghost.breaches

\* Each acquisition at Redis has larger tokens than every acquisition before.
BlocksGrow == "blocks" \notin ghost.breaches

\* Who was told that a lease is lost is never told that it is held.
LostForGood == \A i \in Instances : ~(instance[i].told /\ SaysHeld(i))

\* A key that nobody wants any more is free when the ttl has passed since Redis last heard its owner
\* id, which is no later than the last command that was sent for it can be on its way.
NoOrphan == ghost.orphanSince >= 0 => key.until <= ghost.orphanSince + Delay + MaxLag + Max(Ttl, Longer)

\* The resource accepts no write of an acquisition that is older than one it has accepted a write of.
Fenced == "writes" \notin ghost.breaches

-----------------------------------------------------------------------------
(* What one instance does                                                  *)

\* Its moves: what it is, what it hears, what it is then, by which owner id (next: with the next token), and what it sends.
\* The tests of the engine look whether it makes these, and no others.
Moves == {
  <<"idle", "nothing", "asking", "new", "acquire">>,
  <<"asking", "done", "holding", "same", "nothing">>,
  <<"asking", "done", "asking", "same", "acquire">>,
  <<"asking", "done", "idle", "none", "nothing">>,
  <<"asking", "busy", "waiting", "none", "nothing">>,
  <<"waiting", "granted", "holding", "granted", "nothing">>,
  <<"waiting", "granted", "asking", "granted", "acquire">>,
  <<"idle", "granted", "asking", "granted", "acquire">>,
  <<"holding", "nothing", "holding", "next", "nothing">>,
  <<"holding", "nothing", "asking", "same", "acquire">>,
  <<"holding", "nothing", "waiting", "none", "nothing">>,
  <<"holding", "nothing", "holding", "same", "renew">>,
  <<"holding", "refused", "idle", "none", "nothing">>,
  <<"holding", "tick", "overdue", "same", "nothing">>,
  <<"overdue", "nothing", "overdue", "same", "renew">>,
  <<"overdue", "renewed", "idle", "none", "nothing">>,
  <<"overdue", "refused", "idle", "none", "nothing">>,
  \* it gives up
  <<"asking", "nothing", "idle", "none", "nothing">>,
  <<"waiting", "nothing", "idle", "none", "nothing">>,
  <<"holding", "nothing", "idle", "none", "nothing">>,
  <<"overdue", "nothing", "idle", "none", "nothing">>,
  \* and releases what it gave up
  <<"idle", "nothing", "idle", "other", "release">>,
  <<"asking", "nothing", "asking", "other", "release">>,
  <<"waiting", "nothing", "waiting", "other", "release">>,
  <<"holding", "nothing", "holding", "other", "release">>,
  <<"overdue", "nothing", "overdue", "other", "release">>}

State(i) == IF instance[i].state = "holding" /\ ~SaysHeld(i) THEN "overdue" ELSE instance[i].state

Move(i) ==
  LET before == instance[i]
      after == instance'[i]
      gone == {c \in net \ net' : c.from = i /\ c.reply # Unanswered /\ (c.op = "granted" \/ InUse(i, c.owner))}
      sent == {c \in net' \ net : c.from = i /\ c.reply = Unanswered /\ ~c.ghost}
      heard == IF now' # now THEN "tick"
               ELSE IF gone = {} THEN "nothing"
               ELSE LET c == CHOOSE c \in gone : TRUE
                    IN IF c.op = "renew" /\ c.reply.kind = "done" THEN "renewed" ELSE c.reply.kind
      released == /\ now' = now
                  /\ losses' = losses
                  /\ after = before
                  /\ key.of = i
                  /\ key.owner # 0
                  /\ <<key'.of, key'.owner>> # <<i, key.owner>>
      by == CASE released -> IF InUse(i, key.owner) THEN "same" ELSE "other"
              [] ~released /\ after.owner = 0 -> "none"
              [] ~released /\ after.owner # 0 /\ after.owner = before.owner ->
                   IF before.state = "holding" /\ after.token > before.token THEN "next" ELSE "same"
              [] OTHER -> IF heard = "granted" THEN "granted" ELSE IF after.owner > owners[i] THEN "new" ELSE "other"
      sends == IF released THEN "release" ELSE IF sent = {} THEN "nothing" ELSE (CHOOSE c \in sent : TRUE).op
  IN <<State(i), heard, State(i)', by, sends>>

StaysAsItIs(move) == move[1] = move[3] /\ move[4] \in {"none", "same"} /\ move[5] = "nothing"

\* An instance makes no other moves. Each one that it does make is printed, so that it can be seen that it makes all of them.
OnlyMoves == [][\A i \in Instances : LET move == Move(i) IN
                  \/ StaysAsItIs(move)
                  \/ /\ move \in Moves
                     /\ move \in TLCGet(1) \/ (PrintT(move) /\ TLCSet(1, TLCGet(1) \cup {move}))]_vars

ASSUME TLCSet(1, {})

=============================================================================
