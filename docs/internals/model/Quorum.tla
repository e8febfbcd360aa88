------------------------------- MODULE Quorum -------------------------------
(***************************************************************************)
(* One key, kept by several servers that know nothing of each other, of    *)
(* which a majority decides.  It is held by one owner id alone, or by      *)
(* several that share it.  See README.md for what is modelled, what is     *)
(* not, and how to run it.                                                 *)
(*                                                                         *)
(* Time is counted in ticks, as in Lock.tla: nobody is forced to do        *)
(* anything before the next one.  Who wants the key is an owner id; what   *)
(* instance it belongs to makes no difference here.                        *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Nodes,        \* the servers
  Owners,       \* the owner ids that want the key
  Modes,        \* how: "x" (alone), "s" (shared)
  Ttl,          \* for how long a node keeps a key that nobody renews
  Margin,       \* what an owner keeps back of the ttl
  Early,        \* by how much a node may forget a key too early, as its clock is fast; safe up to Margin
  Delay,        \* for how long a command can be on its way, and its reply
  Block,        \* how many fencing tokens one acquisition reserves
  TokensPerTick,\* how far the clock of a node, counted in tokens, goes in a tick
  Skew,         \* by how many ticks the clocks of the nodes may differ
  MaxFence,     \* the largest token that a node has handed out to begin with
  LateConfirms, \* whether a vote that comes when the tokens are known is as good as a raise even if it drew one larger than these
  Abstain,      \* for how long a node that lost its memory grants nothing
  MaxTime,      \* when the model ends
  MaxRepeats,   \* how often a command may be executed once more
  MaxAgain,     \* how often a holder may acquire once more by the same owner id
  MaxRenewals,  \* how many renewals there may be
  MaxRepairs,   \* how many repairs there may be
  MaxShares,    \* how many downgrades there may be
  MaxKeyLosses, \* how often a node may lose the key alone
  MaxLosses,    \* how often a node may lose its memory
  Bug           \* "none", or what is wrong with the protocol: see Bugs

Bugs == {"none", "no raise", "raise on fewer", "raise to the first token", "raise without owner check",
         "raise of the acquisition before",
         "repaired node counts", "repaired node counts next time", "late vote counts", "renewal by fewer", "acquired by fewer",
         "count from reply", "count from raise", "release without owner check", "renew what was given up",
         "late repair is given back",
         "reader joins a writer", "writer joins readers", "release frees what others read", "expires with its first reader",
         "renewal revives", "renewal ignores the mode",
         "reader does not raise", "reader has its smallest vote", "reader has the token of the phase",
         "exclusive until the reply", "acquires after a downgrade", "downgrade by fewer", "repairs as a reader"}

ASSUME Bug \in Bugs

VARIABLES
  now,   \* real time
  ahead, \* by how many ticks the clock of each node is ahead
  node,  \* what each node has
  own,   \* what each owner id knows
  wire,  \* the command from each owner id to each node that is on its way
  used,  \* how many of the things there were that are limited
  ghost  \* what nobody can see: for the invariants only

vars == <<now, ahead, node, own, wire, used, ghost>>

-----------------------------------------------------------------------------

N == Cardinality(Nodes)
Q == (N \div 2) + 1

Max(a, b) == IF a >= b THEN a ELSE b
Largest(S) == CHOOSE a \in S : \A b \in S : a >= b
Smallest(S) == CHOOSE a \in S : \A b \in S : a <= b

Nobody == "nobody"
Readers == "&" \* the owner of what is shared
Silence == [op |-> "none", sent |-> 0, arg |-> 0]

New == [state |-> "new",
        mode |-> "x",
        sent |-> 0,      \* when the acquire commands were sent, or those of the renewal under way
        deadline |-> 0,
        votes |-> [i \in Nodes |-> 0], \* the first token of each node that granted the key
        raised |-> {},   \* nodes whose fence is known to be at the last token
        token |-> 0,     \* the first token of the lease
        mine |-> {},     \* nodes that are known to have granted the key, and not known to have lost it
        sure |-> {},     \* those of them that nobody has had a later lease from
        asked |-> {},    \* those that were known when the renewal under way was sent
        yes |-> {},      \* those that confirmed it
        renewing |-> FALSE,
        seen |-> 0,      \* the largest token of a lease when the renewal under way was sent
        owed |-> {},     \* nodes that are asked to give back a repair of the hold before
        down |-> FALSE,  \* whether a downgrade was sent
        told |-> {},     \* nodes that confirmed it
        open |-> FALSE,  \* whether it was confirmed
        gone |-> 0]      \* when it was given up

NoReaders == [o \in Owners |-> 0]

\* What isValid() answers when it is called now.
SaysHeld(o) == own[o].state = "held" /\ now < own[o].deadline

Wanted(o) == own[o].state \in {"voting", "raising", "held"}

Init ==
  /\ now = 0
  /\ ahead \in [Nodes -> 0..Skew]
  /\ \E f \in [Nodes -> 0..MaxFence] :
       node = [i \in Nodes |-> [owner |-> Nobody, until |-> 0, readers |-> NoReaders, fence |-> f[i], quiet |-> 0]]
  /\ own = [o \in Owners |-> New]
  /\ wire = [o \in Owners |-> [i \in Nodes |-> Silence]]
  /\ used = [repeats |-> 0, again |-> 0, renewals |-> 0, repairs |-> 0, shares |-> 0, keyLosses |-> 0, losses |-> 0]
  /\ ghost = [tokens |-> {},     \* the tokens of all leases
              alone |-> {},      \* those of exclusive ones
              breaches |-> {}]   \* which rules were broken

-----------------------------------------------------------------------------
(* Owners                                                                  *)

Acquire(mode) == IF mode = "s" THEN "acquire-shared" ELSE "acquire"
Acquires == {"acquire", "acquire-shared"}

Command(op, arg) == [op |-> op, sent |-> now, arg |-> arg]

\* Ask all nodes at once.
Vote(o, mode) ==
  /\ own[o].state = "new"
  /\ own' = [own EXCEPT ![o].state = "voting", ![o].mode = mode, ![o].sent = now]
  /\ wire' = [wire EXCEPT ![o] = [i \in Nodes |-> Command(Acquire(mode), 0)]]
  /\ UNCHANGED <<now, ahead, node, used, ghost>>

\* The holder is done, others in the JVM wait, and the hold is not good enough for them, or it was over when it was known: ask
\* once more by the same owner id.  What is on its way stays so.  A repair among it is no concern of the hold that it
\* was for any more; to give it back behind the new vote would take that vote back.  Not after a downgrade, which may come late.
VoteAgain(o) ==
  /\ own[o].state = "held" \/ (own[o].state = "raising" /\ now >= own[o].sent + Ttl - Margin)
  /\ used.again < MaxAgain
  /\ own[o].down => Bug = "acquires after a downgrade"
  /\ used' = [used EXCEPT !.again = @ + 1]
  /\ own' = [own EXCEPT ![o] = [New EXCEPT !.state = "voting", !.sent = now, !.down = own[o].down,
                                            !.mode = IF own[o].down THEN "x" ELSE own[o].mode,
                                            !.owed = {i \in Nodes : wire[o][i].op \in Acquires /\ wire[o][i].arg = 1}]]
  /\ wire' = [wire EXCEPT ![o] = [i \in Nodes |-> IF wire[o][i].op = "none" THEN Command(Acquire(own'[o].mode), 0) ELSE @[i]]]
  /\ UNCHANGED <<now, ahead, node, ghost>>

Voters(o) == {i \in Nodes : own[o].votes[i] > 0}
Enough == IF Bug = "acquired by fewer" THEN Q - 1 ELSE Q
\* Whoever shares needs one token.  Who goes on as a reader keeps those that it has.
Size(o) == IF own[o].mode = "s" /\ ~own[o].down THEN 1 ELSE Block
Last(o, token) == IF Bug = "raise to the first token" THEN token ELSE token + Size(o) - 1

\* The largest token of those who must not have come after it: others who share it may have.
Overtaking(o) == Largest((IF own[o].mode = "s" THEN ghost.alone ELSE ghost.tokens) \cup {0})

\* A majority granted the key: the tokens begin at the largest, and the others are to follow.
Raise(o) ==
  /\ own[o].state = "voting"
  /\ Cardinality(Voters(o)) >= Enough
  /\ LET raises == Bug # "no raise" /\ ~(Bug = "reader does not raise" /\ own[o].mode = "s")
         token == IF Bug = "reader has its smallest vote" /\ own[o].mode = "s" THEN Smallest({own[o].votes[i] : i \in Voters(o)})
                  ELSE Largest({own[o].votes[i] : i \in Nodes})
     IN /\ own' = [own EXCEPT ![o].state = "raising", ![o].token = token,
                              ![o].sent = IF Bug = "count from raise" THEN now ELSE @,
                              ![o].sure = Voters(o),
                              ![o].raised = IF raises THEN {i \in Voters(o) : own[o].votes[i] >= token} ELSE Voters(o)]
        /\ wire' = [wire EXCEPT ![o] = [i \in Nodes |->
                      IF i \in Voters(o) /\ own[o].votes[i] < token /\ raises THEN Command("raise", Last(o, token))
                      ELSE @[i]]]
  /\ UNCHANGED <<now, ahead, node, used, ghost>>

\* A majority is at the last token, and there is time left.
Hold(o) ==
  /\ own[o].state = "raising"
  /\ Cardinality(own[o].raised) >= (IF Bug = "raise on fewer" THEN Q - 1 ELSE Enough)
  /\ LET deadline == (IF Bug = "count from reply" THEN now ELSE own[o].sent) + Ttl - Margin
     IN /\ now < deadline
        /\ own' = [own EXCEPT ![o].state = "held", ![o].deadline = deadline,
                              ![o].votes = New.votes, ![o].raised = {}, ![o].sent = 0]
  /\ ghost' = LET tokens == own[o].token..(own[o].token + Size(o) - 1)
                  alone == own[o].mode = "x"
              IN [ghost EXCEPT !.tokens = @ \cup tokens,
                               !.alone = IF alone THEN @ \cup tokens ELSE @,
                               !.breaches = @ \cup (IF own[o].token > Overtaking(o) THEN {} ELSE {"order"})
                                              \cup (IF tokens \cap ghost.tokens = {} THEN {}
                                                    ELSE IF alone \/ tokens \cap ghost.alone # {} THEN {"twice"} ELSE {"equal"})]
  /\ UNCHANGED <<now, ahead, node, wire, used>>

\* Ask all nodes whether they still have the key.  What is on its way to one of them stays so.
Renew(o) ==
  /\ SaysHeld(o) \/ (Bug = "renew what was given up" /\ own[o].state = "gone")
  /\ used.renewals < MaxRenewals
  /\ used' = [used EXCEPT !.renewals = @ + 1]
  /\ own' = [own EXCEPT ![o].renewing = TRUE, ![o].sent = now, ![o].asked = own[o].mine, ![o].yes = {},
                        ![o].seen = Overtaking(o)]
  /\ wire' = [wire EXCEPT ![o] = [i \in Nodes |->
                IF wire[o][i].op \in {"none", "renew"} THEN Command("renew", 0) ELSE @[i]]]
  /\ UNCHANGED <<now, ahead, node, ghost>>

Confirming(o) ==
  CASE Bug \in {"repaired node counts", "repaired node counts next time"} -> own[o].yes
    [] OTHER -> own[o].yes \cap own[o].sure

\* A majority has the key, and has had it since before the last renewal that counted.
Renewed(o) ==
  /\ SaysHeld(o)
  /\ own[o].renewing
  /\ Cardinality(Confirming(o)) >= (IF Bug = "renewal by fewer" THEN Q - 1 ELSE Q)
  /\ own' = [own EXCEPT ![o].renewing = FALSE, ![o].deadline = Max(@, own[o].sent + Ttl - Margin),
                        ![o].sure = @ \cup (own[o].asked \cap own[o].mine), ![o].yes = {}, ![o].asked = {},
                        ![o].sent = 0, ![o].seen = 0]
  /\ ghost' = [ghost EXCEPT !.breaches = IF own[o].seen <= Last(o, own[o].token) THEN @ ELSE @ \cup {"overtaken"}]
  /\ UNCHANGED <<now, ahead, node, wire, used>>

\* Take the key at a node that does not have it, in the mode in which it is held; also to ask once more who was busy, before
\* there is a majority.
Repair(o, i) ==
  /\ SaysHeld(o) \/ own[o].state = "voting"
  /\ used.repairs < MaxRepairs
  /\ i \notin own[o].mine
  /\ wire[o][i].op = "none"
  /\ used' = [used EXCEPT !.repairs = @ + 1]
  /\ wire' = [wire EXCEPT ![o][i] = Command(Acquire(IF Bug = "repairs as a reader" /\ own[o].state = "held" THEN "s" ELSE own[o].mode),
                                            IF Bug = "late repair is given back" THEN 1 ELSE 0)]
  /\ UNCHANGED <<now, ahead, node, own, ghost>>

\* An exclusive holder goes on as a reader from when it asks the nodes for that: others may read before it hears that they may.
\* From now on it is on its way to each node, again and again, as those that missed it are told again; whatever else is.
Downgrade(o) ==
  /\ SaysHeld(o)
  /\ own[o].mode = "x"
  /\ ~own[o].down
  /\ used.shares < MaxShares
  /\ used' = [used EXCEPT !.shares = @ + 1]
  /\ own' = [own EXCEPT ![o].down = TRUE, ![o].mode = IF Bug = "exclusive until the reply" THEN "x" ELSE "s"]
  /\ UNCHANGED <<now, ahead, node, wire, ghost>>

\* A majority had the key, and lets others read.
Downgraded(o) ==
  /\ SaysHeld(o)
  /\ own[o].down
  /\ ~own[o].open
  /\ Cardinality(own[o].told) >= (IF Bug = "downgrade by fewer" THEN Q - 1 ELSE Q)
  /\ own' = [own EXCEPT ![o].open = TRUE, ![o].told = {}, ![o].mode = "s"]
  /\ UNCHANGED <<now, ahead, node, wire, used, ghost>>

\* The lease is closed or lost, the process is killed, or the time is over: nobody wants the owner id
\* any more, and from now on it may be released at every node, whenever and how often.
GiveUp(o) ==
  /\ Wanted(o)
  /\ own' = [own EXCEPT ![o] = [New EXCEPT !.state = "gone", !.gone = now, !.down = own[o].down]]
  /\ UNCHANGED <<now, ahead, node, wire, used, ghost>>

-----------------------------------------------------------------------------
(* Nodes                                                                   *)

Clock(i) == (now + ahead[i]) * TokensPerTick

\* A command is executed.  Its reply arrives at once, or never: what a late one would change, a decision
\* that comes late does.  Or the command is still on its way, for a client that repeats it.
Fates == {"answered", "unanswered", "again"}

Arrives(o, i, op, fate) ==
  /\ wire[o][i].op = op
  /\ IF fate = "again" THEN used.repeats < MaxRepeats /\ used' = [used EXCEPT !.repeats = @ + 1] /\ wire' = wire
                       ELSE used' = used /\ wire' = [wire EXCEPT ![o][i] = Silence]
  /\ fate = "answered" => Wanted(o)
  /\ UNCHANGED <<now, ahead, ghost>>

\* Whether a node has the key for an owner id, alone or with others.
Has(i, o) == node[i].owner = o \/ (node[i].owner = Readers /\ node[i].readers[o] > 0)

\* What a node has when it has taken the key alone.
Alone(i, o) == [node[i] EXCEPT !.owner = o, !.until = now + Ttl]

\* Or with others: the first of them finds what was left of readers before.
Shared(i, o, until) ==
  LET others == IF node[i].owner = Readers THEN node[i].readers ELSE NoReaders
  IN [node[i] EXCEPT !.owner = Readers, !.until = 0, !.readers = [others EXCEPT ![o] = until]]

\* A node takes the key for an owner id, if it is free or that one's already, or is shared and is to be.  What has it alone
\* is not shared by asking for that, whoever asks.  Otherwise, and while it
\* abstains, it has no vote to give.  A vote that comes when the tokens are known already counts from the
\* renewal after the next on; but it is as good as one that came in time if no larger token was drawn there.
Grant(o, i, op, fate) ==
  LET may == IF op = "acquire" THEN {Nobody, o} \cup (IF Bug = "writer joins readers" THEN {Readers} ELSE {})
             ELSE {Nobody, Readers} \cup (IF Bug = "reader joins a writer" THEN Owners ELSE {})
      first == IF Bug = "reader has the token of the phase" /\ op # "acquire" /\ node[i].owner = Readers
               THEN node[i].fence ELSE Max(node[i].fence + 1, Clock(i))
      last == first + (IF op = "acquire" THEN Block ELSE 1) - 1
  IN /\ Arrives(o, i, op, fate)
     /\ IF node[i].owner \in may /\ now >= node[i].quiet
        THEN /\ node' = [node EXCEPT ![i] = [(IF op = "acquire" THEN Alone(i, o) ELSE Shared(i, o, now + Ttl)) EXCEPT !.fence = last]]
             /\ own' = IF fate # "answered" THEN own
                       ELSE [own EXCEPT ![o].mine = @ \cup {i},
                                        ![o].sure = IF /\ own[o].state \in {"raising", "held"}
                                                       /\ first <= Last(o, own[o].token) \/ Bug = "late vote counts"
                                                    THEN @ \cup {i} ELSE @,
                                        ![o].votes = IF own[o].state = "voting" THEN [@ EXCEPT ![i] = first] ELSE @,
                                        ![o].raised = IF own[o].state = "raising" /\ (first = own[o].token \/ (LateConfirms /\ first > own[o].token))
                                                       THEN @ \cup {i} ELSE @,
                                        ![o].yes = IF Bug = "repaired node counts" THEN @ \cup {i} ELSE @]
        ELSE /\ fate = "unanswered"
             /\ UNCHANGED <<node, own>>

\* A node lets its fence follow, if the key is still this owner's.
Follow(o, i, fate) ==
  /\ Arrives(o, i, "raise", fate)
  /\ IF Has(i, o) \/ Bug = "raise without owner check"
     THEN /\ node' = [node EXCEPT ![i].fence = Max(@, wire[o][i].arg)]
          /\ own' = IF /\ fate = "answered" /\ own[o].state = "raising"
                        /\ (wire[o][i].arg = Last(o, own[o].token) \/ Bug = "raise of the acquisition before")
                     THEN [own EXCEPT ![o].raised = @ \cup {i}] ELSE own
     ELSE /\ fate = "unanswered"
          /\ UNCHANGED <<node, own>>

\* A node sets the ttl anew, if the key is still this owner's, alone or with others.  The renewal does not say which: a downgrade
\* may be under way.  A node that was not known to have the key is known now.
Extend(o, i, fate) ==
  LET reads == \/ node[i].owner = Readers /\ node[i].readers[o] > 0
               \/ Bug = "renewal revives"
      lingers == Bug = "renewal ignores the mode" /\ node[i].readers[o] > 0
  IN /\ fate # "again"
     /\ Arrives(o, i, "renew", fate)
     /\ IF node[i].owner = o \/ reads \/ lingers
        THEN /\ node' = [node EXCEPT ![i] = CASE node[i].owner = o -> Alone(i, o)
                                             [] reads -> Shared(i, o, now + Ttl)
                                             [] OTHER -> [@ EXCEPT !.readers[o] = now + Ttl]]
             /\ own' = IF fate # "answered" \/ own[o].state # "held" THEN own
                       ELSE [own EXCEPT ![o].mine = @ \cup {i},
                                        ![o].yes = IF own[o].renewing /\ wire[o][i].sent = own[o].sent THEN @ \cup {i} ELSE @]
        ELSE /\ node' = node
             /\ own' = IF fate = "answered" THEN [own EXCEPT ![o].mine = @ \ {i}, ![o].sure = @ \ {i}] ELSE own

\* A node shares what an owner id has alone.
Share(o, i, heard) ==
  /\ own[o].down
  /\ own[o].state = "gone" => now <= own[o].gone + Delay
  /\ Has(i, o)
  /\ node' = [node EXCEPT ![i] = IF @.owner = o THEN Shared(i, o, now + Ttl) ELSE @]
  /\ own' = IF heard /\ own[o].state = "held" /\ ~own[o].open THEN [own EXCEPT ![o].told = @ \cup {i}] ELSE own
  /\ UNCHANGED <<now, ahead, wire, used, ghost>>

Unheld(n) == [n EXCEPT !.owner = Nobody, !.until = 0]
Free(n) == [Unheld(n) EXCEPT !.readers = NoReaders]

\* Without this reader; what nobody shares is free.
WithoutReader(n, o) ==
  LET left == [n EXCEPT !.readers[o] = 0]
  IN IF left.readers = NoReaders THEN Unheld(left) ELSE left

Without(i, o) == IF node[i].owner = o \/ Bug = "release frees what others read" THEN Unheld(node[i]) ELSE WithoutReader(node[i], o)

\* A release arrives: it is on its way from when its owner id was given up, for ever.
Release(o, i) ==
  /\ own[o].state = "gone"
  /\ node[i].owner # Nobody
  /\ Has(i, o) \/ Bug = "release without owner check"
  /\ node' = [node EXCEPT ![i] = IF Bug = "release without owner check" THEN Unheld(@) ELSE Without(i, o)]
  /\ UNCHANGED <<now, ahead, own, wire, used, ghost>>

\* The hold that a repair was for is over when the repair is answered, so it is given back, although the
\* same owner id counts on the node again.
GiveRepairBack(o, i) ==
  /\ i \in own[o].owed
  /\ wire[o][i].op \notin Acquires
  /\ Has(i, o)
  /\ node' = [node EXCEPT ![i] = Without(i, o)]
  /\ own' = [own EXCEPT ![o].owed = @ \ {i}]
  /\ UNCHANGED <<now, ahead, wire, used, ghost>>

\* What is over at an instant.
Expired(n, instant) ==
  CASE n.owner = Nobody -> n
    [] n.owner = Readers ->
         LET left == [o \in Owners |-> IF n.readers[o] <= instant THEN 0 ELSE n.readers[o]]
             over == left = NoReaders \/ (Bug = "expires with its first reader" /\ \E o \in Owners : n.readers[o] > 0 /\ left[o] = 0)
         IN IF over THEN Free(n) ELSE [n EXCEPT !.readers = left]
    [] OTHER -> IF n.until <= instant THEN Unheld(n) ELSE n

\* The ttl is over by the clock of the node, which is fast.
Expire(i) ==
  /\ Early > 0
  /\ node[i].owner # Nobody
  /\ node' = [node EXCEPT ![i] = Expired(@, now + Early)]
  /\ node'[i] # node[i]
  /\ UNCHANGED <<now, ahead, own, wire, used, ghost>>

\* The key is evicted or deleted, and what the node has of readers may stay.
LoseKey(i, all) ==
  /\ used.keyLosses < MaxKeyLosses
  /\ node[i].owner # Nobody
  /\ all \/ node[i].owner = Readers
  /\ used' = [used EXCEPT !.keyLosses = @ + 1]
  /\ node' = [node EXCEPT ![i] = IF all THEN Free(@) ELSE Unheld(@)]
  /\ UNCHANGED <<now, ahead, own, wire, ghost>>

\* The node is restarted without its memory.
Lose(i) ==
  /\ used.losses < MaxLosses
  /\ used' = [used EXCEPT !.losses = @ + 1]
  /\ node' = [node EXCEPT ![i] = [Free(@) EXCEPT !.fence = 0, !.quiet = now + Abstain]]
  /\ UNCHANGED <<now, ahead, own, wire, ghost>>

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ node' = [i \in Nodes |-> LET n == Expired(node[i], now')
                              IN IF n.quiet <= now' THEN [n EXCEPT !.quiet = 0] ELSE n]
  /\ wire' = [o \in Owners |-> [i \in Nodes |-> IF now' - wire[o][i].sent > Delay THEN Silence ELSE wire[o][i]]]
  /\ UNCHANGED <<ahead, own, used, ghost>>

Next ==
  \/ Tick
  \/ \E o \in Owners :
       \/ \E mode \in Modes : Vote(o, mode)
       \/ VoteAgain(o) \/ Raise(o) \/ Hold(o) \/ Renew(o) \/ Renewed(o) \/ Downgrade(o) \/ Downgraded(o) \/ GiveUp(o)
       \/ \E i \in Nodes :
            \/ Repair(o, i) \/ Release(o, i) \/ GiveRepairBack(o, i)
            \/ \E fate \in Fates : \/ \E op \in Acquires : Grant(o, i, op, fate)
                                   \/ Follow(o, i, fate) \/ Extend(o, i, fate)
            \/ \E heard \in BOOLEAN : Share(o, i, heard)
  \/ \E i \in Nodes : Expire(i) \/ Lose(i) \/ \E all \in BOOLEAN : LoseKey(i, all)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Nodes) \cup Permutations(Owners)

-----------------------------------------------------------------------------
(* What must hold                                                          *)

TypeOK ==
  /\ now \in 0..MaxTime
  /\ \A i \in Nodes :
       /\ node[i].owner \in Owners \cup {Nobody, Readers}
       /\ node[i].owner \in Owners => node[i].until > now
       /\ node[i].owner = Readers => \E o \in Owners : node[i].readers[o] > now
  /\ \A o \in Owners : /\ own[o].state \in {"new", "voting", "raising", "held", "gone"}
                       /\ own[o].sure \subseteq own[o].mine

\* While an owner id that has the key alone is within its deadline, no other one is.
Exclusive == \A o, p \in Owners : SaysHeld(o) /\ SaysHeld(p) /\ o # p => own[o].mode = "s" /\ own[p].mode = "s"

\* Whoever is within its deadline has the key at a majority.
Backed == \A o \in Owners : SaysHeld(o) => Cardinality({i \in Nodes : Has(i, o)}) >= Q

\* What it counts on is there: a majority of the nodes that it knows to have granted the key.
Counted == \A o \in Owners : SaysHeld(o) => Cardinality({i \in own[o].mine : Has(i, o)}) >= Q

\* Whoever has the key alone shares it at no node: others would join it there, and need but one node more.
Unshared == \A o \in Owners, i \in Nodes : SaysHeld(o) /\ own[o].mode = "x" /\ Has(i, o) => node[i].owner = o

\* A downgrade that is confirmed leaves no majority of nodes that keep readers out.
Opened == \A o \in Owners : SaysHeld(o) /\ own[o].open => Cardinality({i \in Nodes : node[i].owner = o}) < Q

\* Two owner ids share the key; or one that acquired it after a downgrade, and the one that had it alone; or two with the
\* same token.  All of that is meant to happen.
NeverTogether == ~\E o, p \in Owners : o # p /\ SaysHeld(o) /\ SaysHeld(p)
NeverJoined == ~\E o, p \in Owners : SaysHeld(o) /\ SaysHeld(p) /\ own[o].down /\ own[p].token > own[o].token
NeverEqual == "equal" \notin ghost.breaches

\* Each lease has larger tokens than every lease before; one that is shared than every exclusive one before.
TokensGrow == "order" \notin ghost.breaches

\* No token is handed out twice, but to two that share the key.
Distinct == "twice" \notin ghost.breaches

\* A renewal counts only if nobody had a lease with larger tokens when it was sent; but for others who share the key, if it is
\* shared.
Unbroken == "overtaken" \notin ghost.breaches

\* A key that nobody wants is free a ttl after the last command for it could arrive.
NoOrphan ==
  \A i \in Nodes, o \in Owners : own[o].state = "gone" /\ Has(i, o) =>
    (IF node[i].owner = o THEN node[i].until ELSE node[i].readers[o]) <= own[o].gone + Delay + Ttl

\* What is promised as long as no key is evicted or deleted, and as long as no node loses its memory either.
Promised ==
  /\ used.keyLosses = 0 => Exclusive /\ TokensGrow
  /\ Distinct
  /\ used.keyLosses + used.losses = 0 => Backed /\ Counted /\ Opened

=============================================================================
