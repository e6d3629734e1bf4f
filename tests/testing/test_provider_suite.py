"""The provider suites, tried on a right provider and on deliberately wrong ones."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from doubles.right_provider import KNOWN, Right, Suite
from turnloop_core.errors import AuthError, BadReplyError, RetryableError
from turnloop_core.testing.provider_suite import ProviderConformance
from turnloop_core.testing.unabridged import assert_unabridged, failing_checks, standard_checks
from turnloop_core.types.deltas import CallArguments, End, ReasoningDelta, Sent, TextDelta
from turnloop_core.types.items import NudgeItem, Prompt, StopReason, Summary, Turn
from turnloop_core.types.usage import Usage


class TestRight(Suite):
    """The right provider passes."""


class NoName(Right):
    name = ""


class EndsTwice(Right):
    def ending(self):
        return [*super().ending(), *super().ending()]


class TalksAfterTheEnd(Right):
    def ending(self):
        return [*super().ending(), Sent()]


class NeverEnds(Right):
    def ending(self):
        return []


class LosesText(Right):
    def __init__(self, scenario):
        super().__init__(replace(scenario, text=scenario.text[:-1]))


class LosesAFragment(Right):
    def call(self, place):
        return super().call(place)[:-1] if len(super().call(place)) > 4 else super().call(place)


class OrphanArguments(Right):
    def call(self, place):
        whole = super().call(place)
        return [CallArguments("elsewhere", ""), *whole] if place else whole


class SharedIds(Right):
    def call(self, place):
        start, *rest = super().call(place)
        return [replace(start, id="same"), *rest]


class ThinksAloud(Right):
    def thoughts(self):
        return [ReasoningDelta("hm"), *super().thoughts()]


class TakesTheLimitForDone(Right):
    def ending(self):
        (end,) = super().ending()
        limit = end.stop is StopReason.MAX_TOKENS
        return [replace(end, stop=StopReason.END_TURN) if limit else end]


class CountsTheCacheTwice(Right):
    def ending(self):
        (end,) = super().ending()
        whole = end.usage.input + end.usage.cache_read
        return [replace(end, usage=replace(end.usage, input=whole))]


class CountsBelowZero(Right):
    def ending(self):
        (end,) = super().ending()
        return [replace(end, usage=replace(end.usage, cache_write=-1))]


class ReportsNothing(Right):
    def ending(self):
        (end,) = super().ending()
        return [replace(end, usage=Usage(reported=False))]


class MoreReasoningThanOutput(Right):
    def ending(self):
        (end,) = super().ending()
        return [replace(end, usage=replace(end.usage, reasoning=10_000))]


class TakesACutForAnEnd(Right):
    def cut(self):
        return [End(StopReason.END_TURN)]


class EndsQuietlyWhenCut(Right):
    def cut(self):
        return []


class OverflowIsJustBad(Right):
    def refuse(self):
        if self.scenario.refusal == "too_long":
            raise BadReplyError("400")
        super().refuse()


class KeyIsJustBad(Right):
    def refuse(self):
        if self.scenario.refusal == "wrong_key":
            raise RetryableError("401")
        super().refuse()


class KeyWithoutAHint(Right):
    def refuse(self):
        if self.scenario.refusal == "wrong_key":
            raise AuthError("401")
        super().refuse()


class WaitsInSilence(Right):
    def waits(self):
        return []


class WaitsForGood(Right):
    def waits(self):
        return super().waits()[:1]


class WorksOnce(Right):
    def deltas(self):
        if len(self.bodies) == 2 and not self.scenario.refusal:
            return [TextDelta("what?")]
        return super().deltas()


class StaysConnected(Right):
    def leave(self):
        pass


class GuessesBySubstring(Right):
    def knows(self, model):
        return KNOWN in model


class GuessesByPrefix(Right):
    def knows(self, model):
        return model.startswith(KNOWN[:-1])


class KnowsEverything(Right):
    def knows(self, model):
        return True


class CountsItsMessages(Right):
    def body(self, request):
        body = json.loads(super().body(request))
        return json.dumps({**body, "count": len(body["messages"])}).encode()


class RewritesTheFirstMessage(Right):
    def body(self, request):
        body = json.loads(super().body(request))
        body["messages"][0]["of"] = len(body["messages"])
        return json.dumps(body).encode()


class LosesTheSecondResult(Right):
    def results(self, turn, sees):
        return super().results(turn, sees)[:1]


class ResultsBackwards(Right):
    def results(self, turn, sees):
        return super().results(turn, sees)[::-1]


class NudgesFirst(Right):
    def body(self, request):
        items = request.view.items
        nudges = tuple(i for i in items if isinstance(i, NudgeItem))
        rest = tuple(i for i in items if not isinstance(i, NudgeItem))
        if any(isinstance(i, Turn) and i.reply.calls for i in rest) and len(rest) == 2:
            items = (*nudges, *rest)
        return super().body(replace(request, view=replace(request.view, items=items)))


class PutsPicturesBetweenResults(Right):
    def results(self, turn, sees):
        made = []
        for message in super().results(turn, sees):
            made.append(message)
            if any("image" in part for part in message["parts"]):
                made.append({"role": "user", "parts": [{"text": "That was a picture."}]})
        return made


class DropsNudgesAfterAnswers(Right):
    def body(self, request):
        items = request.view.items
        calls = any(isinstance(i, Turn) and i.reply.calls for i in items)
        kept = tuple(i for i in items if calls or not isinstance(i, NudgeItem))
        return super().body(replace(request, view=replace(request.view, items=kept)))


class SteeringFirst(Right):
    def body(self, request):
        items = sorted(request.view.items, key=lambda i: not (isinstance(i, Prompt) and i.steering))
        return super().body(replace(request, view=replace(request.view, items=tuple(items))))


class DropsSummaries(Right):
    def messages(self, item, sees, origin):
        return [] if isinstance(item, Summary) else super().messages(item, sees, origin)


class KeepsTheNewestPrompt(Right):
    def body(self, request):
        items = request.view.items
        if all(isinstance(i, Prompt) for i in items):
            items = items[-1:]
        return super().body(replace(request, view=replace(request.view, items=items)))


class SendsBlanks(Right):
    def worth_sending(self, text):
        return True


class ParsesArguments(Right):
    def arguments(self, call):
        try:
            return dict(json.loads(call.arguments))
        except (ValueError, TypeError):
            raise AssertionError("the adapter broke on arguments in the history") from None


class ShowsPicturesToTheBlind(Right):
    def parts(self, blocks, sees):
        return super().parts(blocks, True)


class HidesPictures(Right):
    def parts(self, blocks, sees):
        return super().parts(blocks, False)


class OpaqueToEverybody(Right):
    def opaque(self, block, made_by, origin):
        return [{"opaque": block.opaque}]


class OpaqueToTheSameModelName(Right):
    def opaque(self, block, made_by, origin):
        same = made_by.rpartition("/")[2] == origin.rpartition("/")[2]
        return [{"opaque": block.opaque}] if same else []


class OpaqueToNobody(Right):
    def opaque(self, block, made_by, origin):
        return []


class NoTools(Right):
    def body(self, request):
        return json.dumps({**json.loads(super().body(request)), "tools": []}).encode()


WRONG: dict[type[Right], str] = {
    NoName: "test_names_itself",
    EndsTwice: "test_ends_once_and_last",
    TalksAfterTheEnd: "test_ends_once_and_last",
    NeverEnds: "test_ends_once_and_last",
    LosesAFragment: "test_calls_arrive_whole",
    OrphanArguments: "test_call_pieces_belong_to_a_call",
    SharedIds: "test_call_pieces_belong_to_a_call",
    ThinksAloud: "test_reasoning_is_kept_apart",
    TakesTheLimitForDone: "test_stop_reasons",
    CountsTheCacheTwice: "test_usage_is_counted_once",
    CountsBelowZero: "test_usage_is_counted_once",
    ReportsNothing: "test_usage_is_counted_once",
    MoreReasoningThanOutput: "test_usage_is_counted_once",
    TakesACutForAnEnd: "test_a_cut_stream_says_so",
    EndsQuietlyWhenCut: "test_a_cut_stream_says_so",
    OverflowIsJustBad: "test_too_long_is_told_apart",
    KeyIsJustBad: "test_a_wrong_key_is_told_apart",
    KeyWithoutAHint: "test_a_wrong_key_is_told_apart",
    WaitsInSilence: "test_waiting_is_told",
    WaitsForGood: "test_waiting_is_told",
    WorksOnce: "test_can_be_asked_again",
    StaysConnected: "test_can_be_left_early",
    GuessesBySubstring: "test_capabilities_by_exact_id",
    GuessesByPrefix: "test_capabilities_by_exact_id",
    CountsItsMessages: "test_the_history_only_grows",
    RewritesTheFirstMessage: "test_the_history_only_grows",
    NudgesFirst: "test_a_nudge_follows_the_results",
    DropsNudgesAfterAnswers: "test_a_nudge_follows_an_answer",
    SteeringFirst: "test_steering_follows_the_results",
    DropsSummaries: "test_a_summary_is_sent",
    KeepsTheNewestPrompt: "test_two_prompts_in_a_row",
    SendsBlanks: "test_blank_text_is_never_sent",
    ParsesArguments: "test_broken_arguments_can_stay_in_the_history",
    ShowsPicturesToTheBlind: "test_pictures_go_to_models_that_see",
    HidesPictures: "test_pictures_go_to_models_that_see",
    OpaqueToEverybody: "test_opaque_data_goes_back_to_its_origin_only",
    OpaqueToTheSameModelName: "test_opaque_data_goes_back_to_its_origin_only",
    OpaqueToNobody: "test_opaque_data_goes_back_to_its_origin_only",
    NoTools: "test_the_prefix_is_sent",
    PutsPicturesBetweenResults: "test_a_strict_server_takes_every_shape",
}


def _suite(implementation: type[Right]) -> type[Suite]:
    return type("Wrong", (Suite,), {"implementation": implementation})


@pytest.mark.parametrize("wrong", WRONG, ids=lambda cls: cls.__name__)
def test_a_wrong_provider_fails_the_check_meant_for_it(wrong: type[Right]) -> None:
    failed = failing_checks(_suite(wrong))
    assert set(failed) == {WRONG[wrong]}, failed


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        # What these lose is looked at by more than one check.
        (LosesText, {"test_text_arrives_whole"}),
        (KnowsEverything, {"test_capabilities_by_exact_id", "test_pictures_go_to_models_that_see"}),
        (
            LosesTheSecondResult,
            {
                "test_results_reach_the_model",
                "test_a_nudge_follows_the_results",
                "test_steering_follows_the_results",
                "test_a_strict_server_takes_every_shape",
            },
        ),
        (
            ResultsBackwards,
            {
                "test_results_reach_the_model",
                "test_a_nudge_follows_the_results",
                "test_steering_follows_the_results",
            },
        ),
    ],
)
def test_a_loss_is_seen_wherever_it_matters(wrong: type[Right], expected: set[str]) -> None:
    assert set(failing_checks(_suite(wrong))) == expected


def test_every_check_can_fail() -> None:
    covered = {*WRONG.values(), "test_text_arrives_whole", "test_results_reach_the_model"}
    assert set(standard_checks(Suite)) - covered == {"test_suite_is_unabridged"}


class Abridged(ProviderConformance):
    def test_usage_is_counted_once(self) -> None:
        """Replaced."""


class Shortened(ProviderConformance):
    test_stop_reasons = None  # type: ignore[assignment]


class Marked(ProviderConformance):
    pytestmark = pytest.mark.skip(reason="for this test")


def test_a_subclass_may_not_replace_remove_or_skip_checks() -> None:
    assert_unabridged(Suite)
    for cls, words in ((Abridged, "test_usage_is_counted_once"), (Shortened, "test_stop_reasons")):
        with pytest.raises(AssertionError, match=words):
            assert_unabridged(cls)
    with pytest.raises(AssertionError, match="marks"):
        assert_unabridged(Marked)
    with pytest.raises(AssertionError, match="derives from no"):
        assert_unabridged(Right)
