package langtag

// The Language Subtag Registry of 2025-08-25, by registry_gen.go.
const (
	// languages2 are the languages with two letters.
	languages2 = ` aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu `
	// languages3 has a bit for each name of three letters, in order: set if it is a language.
	languages3 = "" +
		"fffdfdfeefffbfdbfbfffefaf71f3c576f9773f8ffffff70bf03ffffcf058572e9fffd7fffffff77ffffffffffffffe3e9ff" +
		"ffff4dbc0a7abefffffffefff7ffffffffdf2bf4f1f05de79f140720dfed9f3fc921f8bfeeffffffffffff7fffffffff7ffd" +
		"fffffff77fffffffffffffe7bfffffffffefffffffffbfffffffffdffffff3fffb7ffffffffefffffbfffff7fffffdffffff" +
		"7fdffffffffeffffdfffffdffbfffffefffffffffff77fbffdd5ad7f40ff9cc1432c0825410050440080bbfff29fb44245d6" +
		"9b3488f77be71757557d0e1c377ff3ef9fff5d3865080010bcffbfffffff7f373ec7c7dfff018100b0058000200000034000" +
		"009221d0ff7dffdefe5e040002648d19c1df7b22000000df6dde26e5d9f3fefffdcf9f14410c8600d100f0c7675fd6995eb7" +
		"edef030002000000c077da57926d012ed67bf4ff7f7f000000010c56030000b0142751160a00010000101149000060100000" +
		"001000004404001080051800000500802804000050d52d1064352453f5d5bfe2cd0300800040000000000004173901dd5799" +
		"2198a708000140820000000400000002014000440000b0feab39000200000004000000000020004004000000020000001083" +
		"a80500000000042004a608040008815000000831864000000000400003f503100804000000e03bb313008000110000000000" +
		"00000000000000ffffffffffdfcf83a2c0ffdf27ef1fe5031020b2c5a645259b03dff9df03d44890010e81e39354db38f37f" +
		"ff6df9ffff7f0408000121123c5ffd0f854f44400004fffdffd6e81bf437a30d0000207b7902078400f0ff7ffe0018048100" +
		"00008010941c0100000000001040000408b4fea50c4000009124046c0060f0fffb7ff61c059fdf6e0300110000004005b5b6" +
		"822804000451e2fffd3f0509080540000000001000000c00000000a1026ce748148820c0478007000000cc50402485478440" +
		"201000200250881100d9ecee50371d11690e59eb3308002005401000000050449649d65da7834797fb001000080080004045" +
		"00010200014080004608f8ebf739c49d1600000c04012020dda201000000124400000410f09d951304800001d016400010f0" +
		"90624cd202014a0046040008020020c0008006000800000000f0d8ef1502080000010000000010010010000000ffd7e3fdff" +
		"ffffffff7ffffffeffffffffffffffffffdffffbffffdbfdfffffffefffffffffffffffffffffdffdfffdcffffffffffffff" +
		"fffefbfffffffffffffffefffdffffffffffffffefffffffffffffffffffff7bfddddfffbc98052cff07f0ffff7f000800c3" +
		"7d1f06e672f0ff7c7f4422309f7b1efdff57f2ff3ffff21e95f7ffff47800102002040559f8adff96e118751d0fbff774003" +
		"05d1585c00400010040200200a807bb7fdfefeffffffffffffefffffff7ffffffffffffffffffff7ffffdf7fffff7fffffff" +
		"efffbdfffffbffffffdf7ffdfff7fffff7fffffffbffefffffffffff7fdfffbfeff7fffffffffffffffffeffff7fffffffff" +
		"fffcfffd7fffff9fbefffeff7ff77f028204ffffffffd7effffff7ffe29ee7fff7ff56fdcdffffffffffeffffdff7d0fa751" +
		"06c497d05dafa6fffdff635d5bffffff3f2014005751c265f54de2ffffdf4285c50504220074691008054100010600000000" +
		"005160050401000006112000180192f1fd676b06950657edfb4d9d7b830462400015420000005483f95f108ec946dff71331" +
		"00200000009000000000000a1000014000f0dffdbf7dbecfffbf42148461b0ff5d7a040200492d1427ffedf1bfef3f000002" +
		"c7e01efcbbfffdfbf7fdf7fffffcf5ed47f47f100101c47ffff7ddf95f0586eff577bd3d0000004371420040000001431924" +
		"0800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" +
		"0000000000000000000000000000000000efbde757ee135d09c14021fa17018000000000f0feffbf00230020000008000030" +
		"b5e3100000001124160001023083a301500001831148000000f0dfffff12aa107fd85200802000000000401402023d401042" +
		"10615f9c31000000015c0220000001004201200000bfdfffffffff3fdfdecfbdffafffff7f4b4010f1fdeffdf7fffffbdfff" +
		"7ff17bf17fff7fffeef7efbfffdbffdffffd7ebf57ff6f81769fdcf7fdfffffffbfeff5f575fef5f501862feff9f159f150f" +
		"7dc67da192f5f77efffffffffffdddfffffdf65fff3f409802ffe3fff3f6fedfffdf7fd03e157bbcffbefffff7fffff77fff" +
		"fffedff7d7fdef2f80bfc5ffffffff9ffffffffffdbfdf7f461f77fff8db5dcf7d16b9ea7ba01e2000300204244804000040" +
		"d406040000040004003009065000080000002400040010dc58d74d0f544ff11664d54a0a400200400008000000dcffeb1f58" +
		"484124a0040030124022001000000000000001000000801010bf6f93000100000000000000c0802d0000000000000a000000" +
		"c086c20200010001ff18020012f0ff793f00250000000a000000000000400010030029200000010000830000000001000000" +
		"000000000000000000ffffffcf7ebe11100000920146cdf15e00010030140455100104f63f7a050400b080205575977ddf71" +
		"cc78d543f55767140100000000002cf7db1f5460836805108b38ba01000030002444000010033102010000f0f5ffd7d7bc70" +
		"d6787a155005a484e9410000006b39527440e830906a92000002ffefff7f8553f4effffff2ddc74cf542fcffff1f0080c056" +
		"cc169ffb377defffbda4af014418015d4e4a08502830e08010202400ffffff6ffe0106882a40160101152b3e010000109069" +
		"45020201e1bfbf03000010dca7d1549e44dffd8f6eb35520d4c3d8303d800000004cf411c5846f500022507fbfdb07002010" +
		"84b245100644000012021100f0fffd7f050216890000000800100c030000000083300228840033c02324000000cbe43a46c8" +
		"54f1ffff7f160101845007fcffff0f010040103801011c1240e1761608031000000001000000000022240a40800000"
	// extendedLanguages are the extended language subtags.
	extendedLanguages = ` aao abh abv acm acq acw acx acy adf ads aeb aec aed aen afb afg ajp ajs apc apd arb arq ars ary arz ase asf asp asq asw auz avl ayh ayl ayn ayp bbz bfi bfk bjn bog bqn bqy btj bve bvl bvu bzs cdo cds cjy cmn cnp coa cpx csc csd cse csf csg csl csn csp csq csr csx czh czo doq dse dsl dsz dup ecs ehs esl esn eso eth fcs fse fsl fss gan gds gom gse gsg gsm gss gus hab haf hak hds hji hks hnm hos hps hsh hsl hsn icl iks ils inl ins ise isg isr jak jax jcs jhs jks jls jos jsl jus kgi knn kvb kvk kvr kxd lbs lce lcf lgs liw lls lsb lsc lsg lsl lsn lso lsp lst lsv lsw lsy ltg luh lvs lws lzh max mdl meo mfa mfb mfs min mnp mqg mre msd msi msr mui mzc mzg mzy nan nbs ncs nsi nsl nsp nsr nzs okl orn ors pel pga pgz pks prl prz psc psd pse psg psl pso psp psr pys rib rms rnb rsi rsl rsm rsn sdl sfb sfs sgg sgx shu sjc slf sls sqk sqs sqx ssh ssp ssr svk swc swh swl syy szs tmw tse tsm tsq tss tsy tza ugn ugy ukl uks urk uzn uzs vgt vkk vkt vsi vsl vsv wbs wuu xki xml xmm xms yds ygs yhs ysl ysm yue zib zlm zmi zsl zsm `
	// scripts are the scripts.
	scripts = ` adlm afak aghb ahom arab aran armi armn avst bali bamu bass batk beng berf bhks blis bopo brah brai bugi buhd cakm cans cari cham cher chis chrs cirt copt cpmn cprt cyrl cyrs deva diak dogr dsrt dupl egyd egyh egyp elba elym ethi gara geok geor glag gong gonm goth gran grek gujr gukh guru hanb hang hani hano hans hant hatr hebr hira hluw hmng hmnp hntl hrkt hung inds ital jamo java jpan jurc kali kana kawi khar khmr khoj kitl kits knda kore kpel krai kthi lana laoo latf latg latn leke lepc limb lina linb lisu loma lyci lydi mahj maka mand mani marc maya medf mend merc mero mlym modi mong moon mroo mtei mult mymr nagm nand narb nbat newa nkdb nkgb nkoo nshu ogam olck onao orkh orya osge osma ougr palm pauc pcun pelm perm phag phli phlp phlv phnx piqd plrd prti psin ranj rjng rohg roro runr samr sara sarb saur seal sgnw shaw shrd shui sidd sidt sind sinh sogd sogo sora soyo sund sunu sylo syrc syre syrj syrn tagb takr tale talu taml tang tavt tayo telu teng tfng tglg thaa thai tibt tirh tnsa todr tols toto tutg ugar vaii visp vith wara wcho wole xpeo xsux yezi yiii zanb zinh zmth zsye zsym zxxx zyyy zzzz `
	// regions are the regions.
	regions = ` 001 002 003 005 009 011 013 014 015 017 018 019 021 029 030 034 035 039 053 054 057 061 142 143 145 150 151 154 155 202 419 aa ac ad ae af ag ai al am an ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bu bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cp cq cr cs cu cv cw cx cy cz dd de dg dj dk dm do dz ea ec ee eg eh er es et eu ez fi fj fk fm fo fr fx ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu ic id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nt nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz ta tc td tf tg th tj tk tl tm tn to tp tr tt tv tw tz ua ug um un us uy uz va vc ve vg vi vn vu wf ws yd ye yt yu za zm zr zw zz `
	// variants are the variants.
	variants = ` 1606nict 1694acad 1901 1959acad 1994 1996 abl1943 akhmimic akuapem alalc97 aluku anpezo ao1990 aranes arevela arevmda arkaika asante auvern baku1926 balanka barla basiceng bauddha bciav bcizbl biscayan biske blasl bohairic bohoric boont bornholm cisaup colb1945 cornu creiss dajnko ekavsk emodeng fascia fayyumic fodom fonipa fonkirsh fonnapa fonupa fonxsamp gallo gascon gherd grclass grital grmistr hanoi hepburn heploc hognorsk hsistemo huett ijekavsk itihasa ivanchov jauer jyutping kkcor kleinsch kociewie kscor laukika leidentr lemosin lengadoc lipaw ltg1929 ltg2007 luna1918 lycopol mdcegyp mdctrans mesokem metelko monoton ndyuka nedis newfound nicard njiva nulik osojs oxendict pahawh2 pahawh3 pahawh4 pamaka peano pehoeji petr1708 pinyin polyton provenc puter rigik rozaj rumgr sahidic saigon scotland scouse simple solba sotav spanglis surmiran sursilv sutsilv synnejyl tailo tarask tongyong tunumiit uccor ucrcor ulster unifon vaidika valbadia valencia vallader vecdruka viennese vivaraup wadegile xsistemo `
	// grandfathered are whole tags from before RFC 4646.
	grandfathered = ` art-lojban cel-gaulish en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu no-bok no-nyn sgn-be-fr sgn-be-nl sgn-ch-de zh-guoyu zh-hakka zh-min zh-min-nan zh-xiang `
)
