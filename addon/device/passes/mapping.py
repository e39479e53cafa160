"""How threads share visibility words. Every mapping gives the same words; which is fastest depends on the GPU."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.errors import InputError
from ..capabilities import GROUP_SIZES, Capabilities

#: name -> MAPPING in the shaders
NAMES = {"word": 0, "transpose": 1, "ballot": 2}


@dataclass(frozen=True)
class Mapping:
    """
    Attributes
    ----------
    name : {"word", "transpose", "ballot"}
        A thread to a word (best where a GPU is emulated on the CPU); 32 threads to several words, joined in shared memory; the
        same, joined by a
        subgroup ballot, which needs subgroups of 32.
    group_size : {64, 128, 256}
        Threads to a work group.
    words_per_subgroup : int
        Words that 32 threads take in turn, 1 to 32.
    single_pass : bool
        With a tree, cull, list and write arguments in one pass where that can be (`passes.single.is_possible`): work groups then wait
        for those that started before them, so a driver must keep all going that have started.
    """

    name: str
    group_size: int = 256
    words_per_subgroup: int = 8
    single_pass: bool = False

    def __post_init__(self):
        if self.name not in NAMES:
            raise InputError(f"There is no mapping {self.name}.", f"Choose {', '.join(NAMES)}.")
        if self.group_size not in GROUP_SIZES:
            raise InputError(
                f"Work groups of {self.group_size} threads are not offered.", f"Choose {', '.join(map(str, GROUP_SIZES))}."
            )

    @classmethod
    def best(cls, capabilities: Capabilities, has_ballot: bool, group_size: int | None = None) -> "Mapping":
        """The fastest one measured on this kind of device."""
        if capabilities.is_software:
            return cls("word", group_size or 64)
        # A single pass only where it was measured: not every driver promises to keep all work groups going that have started.
        measured = capabilities.backend == "VULKAN" and "nvidia" in f"{capabilities.vendor} {capabilities.renderer}".lower()
        return cls("ballot" if has_ballot else "transpose", group_size or 256, single_pass=has_ballot and measured)

    @property
    def defines(self) -> tuple:
        return ("MAPPING", NAMES[self.name]), ("LOCAL_PLANES", int(self.name == "word")), ("WORDS_PER_SUBGROUP", f"{self.words_per_subgroup}u")

    @property
    def shared(self) -> str:
        """Shared memory of the culling passes: the count of a block, bits on their way to words, and the list of what is half tested."""
        if self.name == "word":
            return "shared uint shared_total;\n"
        return (
            "shared uint shared_total;\nshared uint shared_open;\n"
            f"shared uint shared_block[{self.block_words}];\nshared uint shared_list[{self.list_length}];\n"
            + (f"shared uint shared_bits[{self.group_size}];\n" if self.name == "transpose" else "")
        )

    @property
    def culling_defines(self) -> tuple:
        """`defines` of the culling passes, whose work groups take `block_words`."""
        lists = ("LISTS_REST", int(self.name != "word")), ("LIST_LENGTH", f"{self.list_length}u")
        return *self.defines, *lists, ("BLOCK_WORDS", f"{self.block_words}u")

    @property
    def list_length(self) -> int:
        """Entries of the shared list of half-tested instances: all of a block, as far as 8 KiB go (every driver has 16 KiB of shared memory)."""
        return min(self.block_words * 32, 2048)

    @property
    def block_words(self) -> int:
        """Words to a work group."""
        return self.group_size if self.name == "word" else self.group_size // 32 * self.words_per_subgroup

    def threads(self, words: int) -> int:
        """Threads for `words` words."""
        return -(-words // self.block_words) * self.group_size
